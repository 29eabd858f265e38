// Threads sweep arrays between barriers: loops whose accesses patched code checks in groups. Words
// of several sizes, at the ends of blocks and across them, constants that all threads read, and a
// counter that races in the middle of a group.
#include <stdio.h>

#include "program.h"

enum { THREADS = 3, WIDTH = 150, ROUNDS = 3 };

static pthread_barrier_t barrier;
static int grid[2][THREADS + 2][WIDTH + 2];
static long sums[THREADS + 2];
static unsigned char bytes[WIDTH + 2];
static int weights[16];
static volatile int racing;
static struct node {
  struct node* next;
  long value;
} nodes[THREADS + 2][WIDTH];
static struct __attribute__((packed)) {
  char first;
  int crossing[WIDTH];
} odd[THREADS];

static __attribute__((noinline)) void sweep(int from, int row) {
  for (int x = 1; x <= WIDTH; x++) {
    int own = weights[(x + row) % 16];
    grid[1 - from][row][x] = own * grid[from][row][x] + grid[from][row - 1][x] +
                             grid[from][row][x - 1] + grid[from][row][x + 1];
  }
}

static __attribute__((noinline)) long add_up(int from, int row) {
  long sum = 0;
  for (int x = 1; x <= WIDTH; x++) {
    sum += grid[from][row][x] + bytes[x] + odd[row - 1].crossing[x - 1];
    odd[row - 1].crossing[x - 1] += x;
    sums[row] += sum;
  }
  return sum;
}

// The address of each write is what the read before it has loaded.
static __attribute__((noinline)) void walk(int row) {
  struct node* n = &nodes[row][0];
  for (int i = 1; i < WIDTH; i++) {
    n = n->next;
    n->value = i;
  }
}

static __attribute__((noinline)) void count(int row) {
  for (int x = 0; x < 8; x++) {
    sums[row] += weights[x];
    racing += sums[row] & 1;
  }
}

static void* work(void* number) {
  int row = (int)(long)number;
  for (int round = 0; round < ROUNDS; round++) {
    sweep(round % 2, row);
    pthread_barrier_wait(&barrier);
    sums[row] += add_up(1 - round % 2, row);
    count(row);
    walk(row);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < 16; i++) weights[i] = i;
  for (int y = 0; y < THREADS + 2; y++)
    for (int x = 0; x < WIDTH + 2; x++) {
      grid[0][y][x] = x + y;
      bytes[x] = (unsigned char)(x * y);
    }
  for (int y = 1; y <= THREADS; y++)
    for (int x = 0; x + 1 < WIDTH; x++) nodes[y][x].next = &nodes[y][x + 1];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void*)(i + 1));
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  long sum = 0;
  for (int i = 1; i <= THREADS; i++) sum += add_up(ROUNDS % 2, i);
  printf("%ld\n", sum);
  return 0;
}
