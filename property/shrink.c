// Passes over a failing input, each of which deletes or lowers bytes, until none makes it smaller.
#include "property/shrink.h"

#include <stdlib.h>
#include <string.h>

struct shrinker {
  unsigned char* best;
  size_t size;
  unsigned char* candidate;
  rff_shrink_test test;
  void* context;
  unsigned long tests_left;
};

int rff_smaller_input(const unsigned char* a, size_t a_size, const unsigned char* b,
                      size_t b_size) {
  if (a_size != b_size) {
    return a_size < b_size;
  }
  size_t i = a_size;
  while (i > 0 && a[i - 1] == b[i - 1]) {
    i--;
  }
  return i > 0 && a[i - 1] < b[i - 1];
}

// Takes the candidate if it is smaller and fails. Candidates begin as copies of the best input.
static int take(struct shrinker* s, size_t size) {
  if (s->tests_left == 0 || !rff_smaller_input(s->candidate, size, s->best, s->size)) {
    return 0;
  }
  s->tests_left--;
  if (!s->test(s->context, s->candidate, size)) {
    return 0;
  }
  memcpy(s->best, s->candidate, size);
  s->size = size;
  return 1;
}

static void copy_best(struct shrinker* s) { memcpy(s->candidate, s->best, s->size); }

static int delete_bytes(struct shrinker* s, size_t at, size_t count) {
  copy_best(s);
  memmove(s->candidate + at, s->candidate + at + count, s->size - at - count);
  return take(s, s->size - count);
}

// From the end, since what comes later depends on what comes before.
static int delete_chunks(struct shrinker* s, size_t count) {
  int changed = 0;
  size_t end = s->size;
  while (end >= count && end > 0) {
    if (delete_bytes(s, end - count, count)) {
      changed = 1;
      end = end < s->size ? end : s->size;
    } else {
      end--;
    }
  }
  return changed;
}

// Large chunks come first. Small ones come in every size, since elements have any size.
static int delete_pass(struct shrinker* s) {
  int changed = 0;
  for (size_t count = s->size; count > 0; count = count > 16 ? count / 2 : count - 1) {
    if (count <= s->size) {
      changed |= delete_chunks(s, count);
    }
  }
  return changed;
}

static int set_byte(struct shrinker* s, size_t at, unsigned char value) {
  copy_best(s);
  s->candidate[at] = value;
  return take(s, s->size);
}

// Ends with a byte that is zero or cannot be lowered by one.
static int lower_byte(struct shrinker* s, size_t at) {
  if (s->best[at] == 0) {
    return 0;
  }
  if (set_byte(s, at, 0)) {
    return 1;
  }
  int changed = 0;
  for (unsigned step = 128; step > 0; step /= 2) {
    while (s->best[at] >= step && set_byte(s, at, (unsigned char)(s->best[at] - step))) {
      changed = 1;
    }
  }
  return changed;
}

static int lower_pass(struct shrinker* s) {
  int changed = 0;
  for (size_t i = s->size; i > 0; i--) {
    changed |= lower_byte(s, i - 1);
  }
  return changed;
}

// Lowers a byte by one and fills those before it, as the next smaller number has them: 00 04 to
// ff 03. Numbers have 2, 4 or 8 bytes.
static int borrow_pass(struct shrinker* s) {
  static const size_t kBelow[] = {1, 3, 7};
  int changed = 0;
  for (size_t i = s->size; i-- > 1;) {
    for (size_t k = 0; k < sizeof kBelow / sizeof *kBelow && i < s->size && s->best[i] > 0; k++) {
      if (kBelow[k] <= i) {
        copy_best(s);
        s->candidate[i]--;
        memset(s->candidate + i - kBelow[k], 0xff, kBelow[k]);
        changed |= take(s, s->size);
      }
    }
  }
  return changed;
}

// Lowers a number of two bytes that may be a length, in a new candidate; zero if it is too small.
static int lower_length(struct shrinker* s, size_t at, unsigned by) {
  copy_best(s);
  unsigned length = s->best[at] + (at + 1 < s->size ? s->best[at + 1] * 256u : 0);
  if (length < by) {
    return 0;
  }
  s->candidate[at] = (unsigned char)(length - by);
  if (at + 1 < s->size) {
    s->candidate[at + 1] = (unsigned char)((length - by) / 256);
  }
  return 1;
}

// Deletes as many bytes after a length as it lowers the length by.
static int shorten_by(struct shrinker* s, size_t length_at, unsigned count) {
  static const size_t kNear = 64;
  int changed = 0;
  for (size_t at = length_at + 1; at + count <= s->size && at <= length_at + kNear;) {
    int taken = 0;
    if (lower_length(s, length_at, count)) {
      memmove(s->candidate + at, s->candidate + at + count, s->size - at - count);
      taken = take(s, s->size - count);
    }
    changed |= taken;
    at += taken ? 0 : 1;
  }
  return changed;
}

static int shorten_pass(struct shrinker* s) {
  int changed = 0;
  for (size_t i = 0; i < s->size; i++) {
    for (unsigned count = 256; count > 0; count /= 2) {
      changed |= shorten_by(s, i, count);
    }
  }
  return changed;
}

size_t rff_shrink(unsigned char* data, size_t size, rff_shrink_test test, void* context,
                  unsigned long most_tests) {
  struct shrinker s = {data, size, malloc(size > 0 ? size : 1), test, context, most_tests};
  if (s.candidate == NULL) {
    return size;
  }
  int changed = 1;
  while (changed && s.tests_left > 0) {
    changed = delete_pass(&s);
    changed |= lower_pass(&s);
    changed |= borrow_pass(&s);
    changed |= shorten_pass(&s);
  }
  free(s.candidate);
  return s.size;
}
