// Functions that keep their frame to themselves, and functions that do not, in every way that
// compilers know: by reference, by value on the stack, as variable arguments, through a part that
// is moved elsewhere, in memory that grows, and through assembly.
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Large {
  long words[9];
};

static long *given;

__attribute__((noinline)) void give(long *place) { given = place; }
__attribute__((noinline)) long through_given(void) { return given == NULL ? 0 : ++*given; }

// Needs more values than there are registers, and gives none of them away.
__attribute__((noinline)) long keeps(long a, long b, long c) {
  volatile long own[1];
  long d = a * 3, e = b * 5, f = c * 7, g = a ^ b, h = b ^ c, i = a + c, j = a - b, k = b - c;
  for (int round = 0; round < 5; ++round) {
    long next = through_given();
    d += e + next;
    e ^= f + g;
    f += h * i;
    g -= j;
    h ^= k + d;
    i += a + e;
    j ^= b + f;
    k += c + g;
  }
  own[0] = d;
  own[0] += e;
  return own[0] + f + g + h + i + j + k + a + b + c;
}

__attribute__((noinline)) long gives(long a) {
  long shared = a;
  give(&shared);
  shared += 1;
  long seen = through_given() + shared;
  give(NULL);
  return seen;
}

// Gives away an argument that the caller wrote on the stack.
__attribute__((noinline)) long gives_argument(struct Large large, long times) {
  give(&large.words[3]);
  long sum = 0;
  for (long i = 0; i < times; ++i) {
    sum += through_given();
  }
  give(NULL);
  return sum + large.words[3];
}

__attribute__((noinline)) long passes_by_value(long a) {
  struct Large large;
  memset(&large, 0, sizeof large);
  large.words[3] = a;
  return gives_argument(large, 3) + large.words[3];
}

__attribute__((noinline)) long many_arguments(long a, long b, long c, long d, long e, long f,
                                              long g, long h) {
  give(&h);
  h += through_given();
  give(NULL);
  return a + b + c + d + e + f + g + h;
}

__attribute__((noinline)) long sum_of(int count, ...) {
  va_list list;
  va_start(list, count);
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += va_arg(list, long);
  }
  va_end(list);
  return sum;
}

__attribute__((noinline)) long grows(long n) {
  long *place = alloca((size_t)n * sizeof(long));
  for (long i = 0; i < n; ++i) {
    place[i] = i * n;
  }
  give(&place[n / 2]);
  long sum = through_given() + place[n / 2];
  give(NULL);
  return sum;
}

__attribute__((noinline, cold, noreturn)) void stop(long *place) {
  give(place);
  printf("stopped at %ld %ld\n", *place, through_given());
  exit(1);
}

// The compiler may move the unlikely part elsewhere; it works in the same frame.
__attribute__((noinline)) long unlikely(long a, long b) {
  long value = a * b + through_given();
  if (__builtin_expect(value == 12345, 0)) {
    long here = value;
    stop(&here);
  }
  if (__builtin_expect(value == 12346, 0)) {
    long here = value + b;
    give(&here);
    value += through_given();
    give(NULL);
  }
  return value + a;
}

// The same in a loop: what the usual part writes may have got into other hands in the unlikely one.
__attribute__((cold, noinline)) void give_rarely(long *place) { give(place); }
__attribute__((noinline)) long gives_rarely(long a) {
  long here = a;
  for (long i = 0; i < 6; ++i) {
    if (__builtin_expect(i * a == 12, 0)) {
      give_rarely(&here);
    }
    here += i;
    here ^= through_given();
  }
  give(NULL);
  return here;
}

__attribute__((noinline)) long by_assembly(long a) {
  long value = a;
  long *place;
  __asm__ volatile("lea %1, %0" : "=r"(place) : "m"(value));
  give(place);
  value += 2;
  long seen = through_given() + value;
  give(NULL);
  return seen;
}

__attribute__((noinline)) struct Large returns_large(long a) {
  struct Large large;
  for (int i = 0; i < 9; ++i) {
    large.words[i] = a + i;
  }
  return large;
}

__attribute__((noinline)) long chooses(long a, long b) {
  long value = a;
  switch (b) {
    case 0: value += keeps(a, b, 1); break;
    case 1: value ^= gives(b); break;
    case 2: value -= many_arguments(a, b, 1, 2, 3, 4, 5, 6); break;
    case 3: value += sum_of(9, a, b, 1L, 2L, 3L, 4L, 5L, 6L, 7L); break;
    case 4: value *= grows(7); break;
    case 5: value ^= by_assembly(a); break;
    case 6: value += unlikely(a, 12346 - a); break;
    default: value += returns_large(a).words[b % 9];
  }
  return value + b;
}

int main(void) {
  long sum = 0;
  for (long i = 0; i < 40; ++i) {
    sum += keeps(i, i + 1, i + 2) + gives(i) + passes_by_value(i) + chooses(i, i % 8);
    sum += unlikely(i, 3) + gives_rarely(i);
  }
  printf("%ld\n", sum);
  return 0;
}
