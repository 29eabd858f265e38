// Ordinary compiled code: sorting, hashing, lists, floating point, varargs, alloca, recursion, tail
// calls.
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Node {
  struct Node* next;
  int key;
  double value;
} Node;

static Node* buckets[16];
static int numbers[48];
static float matrix[8][8], product[8][8];

static int Compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void Insert(int key, double value) {
  Node* node = malloc(sizeof *node);
  *node = (Node){buckets[key & 15], key, value};
  buckets[key & 15] = node;
}

static double Find(int key) {
  for (Node* n = buckets[key & 15]; n; n = n->next)
    if (n->key == key) return n->value;
  return -1;
}

__attribute__((noinline)) static long Sum(int count, ...) {
  va_list list;
  va_start(list, count);
  long sum = 0;
  for (int i = 0; i < count; i++) sum += i % 2 ? (long)va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return sum;
}

__attribute__((noinline)) static int OnStack(int n) {
  char* text = alloca((size_t)n);
  memset(text, 'x', (size_t)n);
  text[n - 1] = 0;
  return (int)strlen(text);
}

static long Even(long n);
__attribute__((noinline)) static long Odd(long n) { return n == 0 ? 0 : Even(n - 1); }
__attribute__((noinline)) static long Even(long n) { return n == 0 ? 1 : Odd(n - 1); }
__attribute__((noinline)) static long Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }

struct Big {
  long a[10];
};
__attribute__((noinline)) static struct Big Copy(struct Big b) {
  b.a[3] += 4;
  return b;
}

static long (*const operations[])(long) = {Odd, Even};

int main(int argc, char** argv) {
  (void)argv;
  for (int i = 0; i < 48; i++) numbers[i] = (i * 7919) % 101;
  qsort(numbers, 48, sizeof(int), Compare);
  long hash = 17;
  for (int i = 0; i < 48; i++) hash = hash * 31 + numbers[i];
  for (int i = 0; i < 40; i++) Insert(i * 3, i * 0.5);
  double total = 0;
  for (int i = 0; i < 60; i++) total += Find(i);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) matrix[i][j] = (float)(i * j - 3);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      float s = 0;
      for (int k = 0; k < 8; k++) s += matrix[i][k] * matrix[k][j];
      product[i][j] = s;
    }
  struct Big big = {{1, 2, 3, 4, 5}};
  big = Copy(Copy(big));
  printf("%ld %.2f %.1f %ld %d %ld %ld %ld %ld\n", hash, total, (double)product[5][6],
         Sum(4, 1, 2.0, 3, 4.0), OnStack(50 + argc), operations[argc & 1](31), Fib(9), big.a[3],
         Even(10));
  return 0;
}
