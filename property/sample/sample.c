/* A user's property in C: whatever the bytes, a copy equals its origin. */
#include <rff/property.h>
#include <string.h>

RFF_PROPERTY(copies_are_equal) {
  char bytes[32], copy[32];
  size_t size = rff_bytes(bytes, sizeof bytes);
  memcpy(copy, bytes, size);
  rff_check(memcmp(bytes, copy, size) == 0);
}
