// Decoding of bytes to values. Missing bytes count as zero, so every byte string decodes, and
// trailing zero bytes make no difference.
#include <string.h>

#include "rff/draws.h"

uint64_t rff_source_number(struct rff_source* source, unsigned width) {
  uint64_t number = 0;
  for (unsigned i = 0; i < width && source->position < source->size; i++) {
    number |= (uint64_t)source->data[source->position++] << (8 * i);
  }
  return number;
}

int64_t rff_source_signed(struct rff_source* source, unsigned width) {
  uint64_t raw = rff_source_number(source, width);
  uint64_t sign = (uint64_t)1 << (8 * width - 1);
  return (int64_t)((raw & sign) != 0 ? ~(raw & ~sign) : raw);
}

static unsigned width_of(uint64_t most) {
  unsigned width = 1;
  while (width < 8 && most >> (8 * width) != 0) {
    width++;
  }
  return width;
}

// A number that lies in the range is taken as it is, so that mutators recognise it in the input.
uint64_t rff_source_unsigned_range(struct rff_source* source, uint64_t lo, uint64_t hi) {
  uint64_t raw = rff_source_number(source, width_of(hi));
  if (raw >= lo && raw <= hi) {
    return raw;
  }
  return lo + raw % (hi - lo + 1);  // not the full range, so the divisor is not zero
}

static int64_t range_around_zero(struct rff_source* source, int64_t lo, int64_t hi) {
  uint64_t most = ~(uint64_t)lo > (uint64_t)hi ? ~(uint64_t)lo : (uint64_t)hi;
  // Shifted by one: the sign needs a bit.
  int64_t raw = rff_source_signed(source, most >> 62 != 0 ? 8 : width_of(most << 1));
  if (raw < lo) {
    return ~(int64_t)(~(uint64_t)raw % (~(uint64_t)lo + 1));
  }
  return raw > hi ? (int64_t)((uint64_t)raw % ((uint64_t)hi + 1)) : raw;
}

int64_t rff_source_signed_range(struct rff_source* source, int64_t lo, int64_t hi) {
  if (lo >= 0) {
    return (int64_t)rff_source_unsigned_range(source, (uint64_t)lo, (uint64_t)hi);
  }
  if (hi >= 0) {
    return range_around_zero(source, lo, hi);
  }
  return (int64_t)(0 - rff_source_unsigned_range(source, 0 - (uint64_t)hi, 0 - (uint64_t)lo));
}

double rff_source_double(struct rff_source* source) {
  uint64_t form = rff_source_number(source, 1) % 4;
  if (form == 3) {
    uint64_t bits = rff_source_number(source, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  double whole = (double)rff_source_signed(source, 8);
  return form == 0 ? whole : whole / (form == 1 ? 2 : 1000);
}

size_t rff_source_bytes(struct rff_source* source, void* buffer, size_t most) {
  size_t size = (size_t)rff_source_unsigned_range(source, 0, most);
  size_t there = source->size - source->position;
  if (there > size) {
    there = size;
  }
  if (size > 0) {
    memset(buffer, 0, size);
  }
  if (there > 0) {
    memcpy(buffer, source->data + source->position, there);
    source->position += there;
  }
  return size;
}

size_t rff_source_string(struct rff_source* source, char* buffer, size_t most) {
  size_t length = 0;
  while (length + 1 < most) {
    char c = (char)rff_source_number(source, 1);
    if (c == 0) {
      break;
    }
    buffer[length++] = c;
  }
  if (most > 0) {
    buffer[length] = 0;
  }
  return length;
}
