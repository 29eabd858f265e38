// Random inputs. Uniform bytes alone would hardly ever give a small number or a short list, so
// each input has a kind: how long it is and which bytes are frequent.
#include "property/random_input.h"

// SplitMix64 (Steele, Lea and Flood 2014): every state gives a good number.
static uint64_t draw(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static unsigned char frequent_byte(uint64_t kind, uint64_t random) {
  static const unsigned char kBounds[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff, 0x0a, 0x20};
  switch (kind) {
    case 0: return (unsigned char)random;
    case 1: return random % 4 == 0 ? (unsigned char)(random >> 8) : 0;
    case 2: return (unsigned char)((random >> 8) % (random % 2 == 0 ? 16 : 256));
    default: return random % 4 == 0 ? (unsigned char)(random >> 8) : kBounds[(random >> 8) % 8];
  }
}

size_t rff_random_input(uint64_t seed, uint64_t run, unsigned char* data) {
  if (run == 0) {
    return 0;
  }
  if (run % 3 == 0 && run / 3 <= 256) {
    data[0] = (unsigned char)(run / 3 - 1);
    return 1;
  }
  uint64_t state = seed;
  state = draw(&state) ^ run;
  uint64_t kind = draw(&state) % 4;
  size_t size = 1 + draw(&state) % ((size_t)1 << draw(&state) % 11);
  for (size_t i = 0; i < size; i++) {
    data[i] = frequent_byte(kind, draw(&state));
  }
  return size;
}
