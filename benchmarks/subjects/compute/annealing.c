// Simulated annealing: elements trade places to shorten their wires. A thread notes the places of
// two elements, computes what a swap would gain, and swaps if both are still there. Each element
// belongs to a region, whose lock guards where its elements are.
#include "compute.h"

enum { THREADS = 3, ELEMENTS = 12, REGIONS = 3, MOVES = 20 };

static pthread_mutex_t region_lock[REGIONS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                               PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t cost_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int place[ELEMENTS];  // of an element
static volatile int element_at[ELEMENTS];
static volatile long cost;
static int terminals;

// The length of all wires from an element, if it is at `position`, to its terminals.
static long wires(int element, int position) {
  uint64_t random = 1000 + (uint64_t)element;
  long length = 0;
  for (int i = 0; i < terminals; i++) {
    long distance = (long)(next_random(&random) >> 54) - 85 * position;
    length += distance < 0 ? -distance : distance;
  }
  return length;
}

static void lock_regions(int a, int b) {
  int first = a % REGIONS, second = b % REGIONS;
#if BUG == 5
  // Three orderings: each of three threads locks its first region before the thread before it in
  // the circle 0, 1, 2 asks for that one as its second. Ends in a deadlock.
  int in_order = second == (first + 1) % REGIONS;
#else
  int in_order = first < second;
#endif
  pthread_mutex_lock(&region_lock[in_order ? first : second]);
  if (first != second) pthread_mutex_lock(&region_lock[in_order ? second : first]);
}

static void unlock_regions(int a, int b) {
  pthread_mutex_unlock(&region_lock[a % REGIONS]);
  if (a % REGIONS != b % REGIONS) pthread_mutex_unlock(&region_lock[b % REGIONS]);
}

static void note_places(int a, int b, int* place_a, int* place_b) {
#if BUG == 4
  // Two orderings: another thread moves the element between this read of its place and this read of
  // who is there.
  *place_a = place[a];
  if (element_at[*place_a] != a) fail(4);
  *place_b = place[b];
#else
  lock_regions(a, b);
  *place_a = place[a];
  *place_b = place[b];
  unlock_regions(a, b);
#endif
}

static int swap_if_there(int a, int b, int place_a, int place_b) {
#if BUG == 3
  // Two orderings: another thread moves an element between this test and the swap.
  int there = place[a] == place_a && place[b] == place_b;
  lock_regions(a, b);
  if (there && (element_at[place_a] != a || element_at[place_b] != b)) fail(3);
#else
  lock_regions(a, b);
  int there = place[a] == place_a && place[b] == place_b;
#endif
  if (there) {
    place[a] = place_b;
    place[b] = place_a;
    element_at[place_a] = b;
    element_at[place_b] = a;
  }
  unlock_regions(a, b);
  return there;
}

static void add_to_cost(long gain) {
#if BUG == 2
  // Two orderings: another thread changes the cost between this read and this write of it.
  long before = cost;
  pthread_mutex_lock(&cost_lock);
#else
  pthread_mutex_lock(&cost_lock);
  long before = cost;
#endif
  cost = before + gain;
  pthread_mutex_unlock(&cost_lock);
}

static void* anneal(void* arg) {
  uint64_t random = 7919 * ((uint64_t)arg + 1);
  long limit = 100 * (long)terminals;
  for (int move = 0; move < MOVES; move++, limit -= limit / 8) {
    int a = random_below(&random, ELEMENTS);
    int b = (a + 1 + random_below(&random, ELEMENTS - 1)) % ELEMENTS;
    int place_a, place_b;
    note_places(a, b, &place_a, &place_b);
    long gain = wires(a, place_b) + wires(b, place_a) - wires(a, place_a) - wires(b, place_b);
    if (gain < limit && swap_if_there(a, b, place_a, place_b)) add_to_cost(gain);
  }
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[THREADS];
  terminals = scaled(120000, argc, argv);
  for (int i = 0; i < ELEMENTS; i++) {
    place[i] = element_at[i] = i;
    cost = cost + wires(i, i);
  }
  start_table();
  for (int i = 0; i < THREADS; i++) start(&threads[i], anneal, i);
  join_all(threads, THREADS);
  finish_table();

  long expected = 0;
  for (int i = 0; i < ELEMENTS; i++) {
    if (element_at[place[i]] != i) fail(BUG);
    expected += wires(i, place[i]);
  }
  if (cost != expected) fail(BUG);
  return 0;
}
