/* A program without properties that asks for the library's main function. */
#include "rff/property.h"

unsigned (*used)(unsigned) = rff_choose;
