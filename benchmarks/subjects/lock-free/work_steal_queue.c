// A work-stealing deque (owner pushes and pops at the tail, thieves steal at the head) in five
// variants; every item must be taken exactly once. The owner announces a pop by lowering the tail
// and looks at the head; a thief announces a steal by raising the head and looks at the tail. What
// is wrong in each VARIANT:
//   1 LOCKED: owner and thief settle a conflict under a lock, but the thief looks at the tail
//   before it raises the head. 2 INTERLOCKED: the thief claims by compare-and-swap, the owner takes
//   the last item without one. 3 INTERLOCKED_STATE: as 2 with claims on both sides, but the thief
//   reads the item after its claim, when the slot may be reused. 4 STATE: nothing protects head and
//   tail; items carry a state word that is tested and set in two steps, so two claims may both
//   succeed. 5 MUTEX: all operations lock, but the owner decides whether the deque is empty before
//   it locks.
// Random walks that fail (measured): variant 1: 4 of 205; 2: 64 of 201; 3: 0 of 199; 4 with two
// thieves: 58 of 158; 5 with one thief: 107 of 180, with three: 174 of 175.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef VARIANT
#define VARIANT 1
#endif
#ifndef THIEVES
#define THIEVES 1
#endif
#ifndef ITEMS
#define ITEMS 12
#endif
#ifndef STEALS
#define STEALS 4
#endif
enum { SLOTS = 4, EMPTY = -1 };

#if VARIANT == 1 || VARIANT == 5
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#elif VARIANT == 4
static volatile int state[ITEMS + 1];
#endif
static atomic_int head, tail;
static volatile int slot[SLOTS];
static atomic_int taken[ITEMS + 1];

static int read_slot(int at) { return slot[at % SLOTS]; }

static int push(int item) {
  int t = atomic_load(&tail);
  if (t - atomic_load(&head) >= SLOTS) return 0;
  slot[t % SLOTS] = item;
  atomic_store(&tail, t + 1);
  return 1;
}

#if VARIANT == 1

static int steal(void) {
  pthread_mutex_lock(&lock);
  int item = EMPTY, h = atomic_load(&head);
  if (h < atomic_load(&tail)) {
    atomic_store(&head, h + 1);
    item = read_slot(h);
  }
  pthread_mutex_unlock(&lock);
  return item;
}

static int pop(void) {
  int t = atomic_load(&tail) - 1;
  atomic_store(&tail, t);
  if (atomic_load(&head) <= t) return read_slot(t);
  atomic_store(&tail, t + 1);
  pthread_mutex_lock(&lock);
  int item = EMPTY;
  if (atomic_load(&head) <= t) {
    atomic_store(&tail, t);
    item = read_slot(t);
  }
  pthread_mutex_unlock(&lock);
  return item;
}

#elif VARIANT == 2

static int steal(void) {
  int h = atomic_load(&head);
  if (h >= atomic_load(&tail)) return EMPTY;
  int item = read_slot(h);
  return atomic_compare_exchange_strong(&head, &h, h + 1) ? item : EMPTY;
}

static int pop(void) {
  int t = atomic_load(&tail) - 1;
  if (t < atomic_load(&head)) return EMPTY;
  atomic_store(&tail, t);
  return read_slot(t);
}

#elif VARIANT == 3

static int steal(void) {
  int h = atomic_load(&head);
  if (h >= atomic_load(&tail)) return EMPTY;
  if (!atomic_compare_exchange_strong(&head, &h, h + 1)) return EMPTY;
  return read_slot(h);
}

static int pop(void) {
  int t = atomic_load(&tail) - 1;
  atomic_store(&tail, t);
  int h = atomic_load(&head);
  if (h < t) return read_slot(t);
  int item = EMPTY;
  if (h == t && atomic_compare_exchange_strong(&head, &h, h + 1)) item = read_slot(t);
  atomic_store(&tail, t + 1);
  return item;
}

#elif VARIANT == 4

static int claim(int item) {
  if (state[item]) return EMPTY;
  state[item] = 1;
  return item;
}

static int steal(void) {
  int h = atomic_load(&head);
  if (h >= atomic_load(&tail)) return EMPTY;
  atomic_store(&head, h + 1);
  return claim(read_slot(h));
}

static int pop(void) {
  int t = atomic_load(&tail) - 1;
  if (t < atomic_load(&head)) return EMPTY;
  atomic_store(&tail, t);
  return claim(read_slot(t));
}

#else

static int steal(void) {
  pthread_mutex_lock(&lock);
  int item = EMPTY, h = atomic_load(&head);
  if (h < atomic_load(&tail)) {
    item = read_slot(h);
    atomic_store(&head, h + 1);
  }
  pthread_mutex_unlock(&lock);
  return item;
}

static int pop(void) {
  if (atomic_load(&head) >= atomic_load(&tail)) return EMPTY;
  pthread_mutex_lock(&lock);
  int t = atomic_load(&tail) - 1;
  atomic_store(&tail, t);
  int item = read_slot(t);
  pthread_mutex_unlock(&lock);
  return item;
}

#endif

static void take(int item) {
  if (item != EMPTY) assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void* own(void* unused) {
  for (int item = 1; item <= ITEMS; item += 2) {
    push(item);
    if (item < ITEMS) push(item + 1);
    take(pop());
  }
  take(pop());
  return unused;
}

static void* thieve(void* unused) {
  for (int i = 0; i < STEALS; i++) take(steal());
  return unused;
}

int main(void) {
  pthread_t owner, thieves[THIEVES];
  pthread_create(&owner, 0, own, 0);
  for (int i = 0; i < THIEVES; i++) pthread_create(&thieves[i], 0, thieve, 0);
  pthread_join(owner, 0);
  for (int i = 0; i < THIEVES; i++) pthread_join(thieves[i], 0);
  return 0;
}
