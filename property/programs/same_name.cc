// A property whose name another file has as well.
#include "rff/property.h"

RFF_PROPERTY(ten) {}
