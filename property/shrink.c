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

static int delete_chunks(struct shrinker* s, size_t count) {
  int changed = 0;
  for (size_t end = s->size; end >= count; end--) {
    while (end <= s->size && end >= count && delete_bytes(s, end - count, count)) {
      changed = 1;
      end = end < s->size ? end : s->size;
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

// Lowers a byte that may be a length and deletes as many bytes after it.
static int shorten_pass(struct shrinker* s) {
  static const unsigned kCounts[] = {64, 16, 4, 2, 1};
  static const size_t kNear = 64;
  int changed = 0;
  for (size_t i = 0; i < s->size; i++) {
    for (size_t k = 0; k < sizeof kCounts / sizeof *kCounts; k++) {
      for (size_t at = i + 1; at + kCounts[k] <= s->size && at <= i + kNear;) {
        copy_best(s);
        s->candidate[i] = (unsigned char)(s->best[i] - kCounts[k]);
        memmove(s->candidate + at, s->best + at + kCounts[k], s->size - at - kCounts[k]);
        int taken = s->best[i] >= kCounts[k] && take(s, s->size - kCounts[k]);
        changed |= taken;
        at += taken ? 0 : 1;
      }
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
