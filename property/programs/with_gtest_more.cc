// A property that needs no GoogleTest; with_gtest.cc makes it a test of it.
#include "rff/property.h"

RFF_PROPERTY(ChecksTooMuch, (unsigned i)) { rff_check(i < 30); }
