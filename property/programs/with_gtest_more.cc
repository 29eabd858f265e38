// A property in a file of its own; see with_gtest.cc.
#include "rff/property.h"

RFF_PROPERTY(ChecksTooMuch, (unsigned i)) { rff_check(i < 30); }
