// The properties of the program.
#ifndef RFF_PROPERTY_REGISTRY_H
#define RFF_PROPERTY_REGISTRY_H

#include "rff/draws.h"

// Null if there is none of this name.
const struct rff_property_entry* rff_find_property(const char* name);

#endif
