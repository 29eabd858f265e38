// Prices of call options: threads take chunks of an array from a shared counter and price each
// option under many interest rates. Shared results are the sum of all prices and the dearest
// option.
#include "compute.h"

enum { THREADS = 3, CHUNKS = 18, CHUNK = 6, OPTIONS = CHUNKS * CHUNK };

typedef int64_t Fixed;
static const Fixed ONE = 1 << 20, RATE = (1 << 20) / 50;

typedef struct {
  Fixed spot, strike, volatility, years;
} Option;

static Option options[OPTIONS];
static Fixed price[OPTIONS];
static int scenarios;
static Fixed base_rate;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int next_chunk;
static volatile int counted[CHUNKS];
static volatile Fixed total;
static volatile Fixed highest;
static volatile int dearest;

// Fixed-point numbers with 20 binary digits after the point.
static Fixed times(Fixed a, Fixed b) { return a * b / ONE; }
static Fixed over(Fixed a, Fixed b) { return a * ONE / b; }

static Fixed exponential(Fixed x) {
  Fixed term = ONE, sum = ONE;
  for (int i = 1; i < 10; i++) sum += term = times(term, x / 8) / i;
  for (int i = 0; i < 3; i++) sum = times(sum, sum);
  return sum;
}

static Fixed logarithm(Fixed x) {
  Fixed q = over(x - ONE, x + ONE), power = q, sum = 0;
  for (int i = 1; i < 12; i += 2, power = times(power, times(q, q))) sum += power / i;
  return 2 * sum;
}

static Fixed square_root(Fixed x) {
  Fixed root = x > ONE ? x : ONE;
  for (int i = 0; i < 8; i++) root = (root + over(x, root)) / 2;
  return root;
}

// The normal distribution, by a polynomial of degree three.
static Fixed normal(Fixed x) {
  Fixed positive = x < 0 ? -x : x, k = over(ONE, ONE + times(positive, 348894));
  Fixed polynomial = times(k, 365087 + times(k, -100550 + times(k, 784215)));
  Fixed tail = times(polynomial, exponential(-times(positive, positive) / 2)) / 2;
  return x < 0 ? tail : ONE - tail;
}

static Fixed price_of(const Option* option, Fixed rate) {
  Fixed spot = option->spot, strike = option->strike, years = option->years;
  Fixed sum = 0, deviation = times(option->volatility, square_root(years));
  int count = scenarios;
  for (int i = 0; i < count; i++, rate += 10) {
    Fixed d = over(logarithm(over(spot, strike)) + times(rate, years), deviation) + deviation / 2;
    Fixed discounted = times(strike, exponential(-times(rate, years)));
    sum += times(spot, normal(d)) - times(discounted, normal(d - deviation));
  }
  return sum / count;
}

static int take_chunk(void) {
#if BUG == 5
  // Three orderings: two threads read the same chunk number before either stores the next one, and
  // both find the chunk not counted before either says it is (see add_chunk).
  int chunk = next_chunk;
  next_chunk = chunk + 1;
#else
  pthread_mutex_lock(&lock);
  int chunk = next_chunk++;
  pthread_mutex_unlock(&lock);
#endif
  return chunk;
}

static void add_chunk(int chunk, Fixed sum) {
  if (counted[chunk]) return;
#if BUG == 2
  // Two orderings: another thread adds its sum between this read and this write of the total.
  total = total + sum;
  pthread_mutex_lock(&lock);
#else
  pthread_mutex_lock(&lock);
  total = total + sum;
#endif
  counted[chunk] = 1;
  pthread_mutex_unlock(&lock);
}

static void offer_dearest(int option) {
#if BUG == 3
  // Two orderings: another thread stores a higher price between this comparison and this store.
  if (price[option] <= highest) return;
  pthread_mutex_lock(&lock);
  if (highest >= price[option]) fail(3);
#else
#if BUG == 4
  // Two orderings: the price is read after another thread's store of it, the option before.
  Fixed seen_price = highest;
  int seen_option = dearest;
  if (seen_price != 0 && price[seen_option] != seen_price) fail(4);
#endif
  pthread_mutex_lock(&lock);
  if (highest < price[option])
#endif
  {
    highest = price[option];
    dearest = option;
  }
  pthread_mutex_unlock(&lock);
}

static void* price_chunks(void* unused) {
  for (int chunk; (chunk = take_chunk()) < CHUNKS;) {
    Fixed sum = 0;
    int best = chunk * CHUNK;
    for (int i = chunk * CHUNK; i < (chunk + 1) * CHUNK; i++) {
      sum += price[i] = price_of(&options[i], base_rate);
      if (price[i] > price[best]) best = i;
    }
    add_chunk(chunk, sum);
    offer_dearest(best);
  }
  return unused;
}

int main(int argc, char** argv) {
  uint64_t random = 88172645463325252;
  pthread_t threads[THREADS];
  scenarios = scaled(1500, argc, argv);
  // Prices rise along the array, so that most chunks have a new dearest option.
  for (int i = 0; i < OPTIONS; i++)
    options[i] = (Option){(90 + i) * ONE, (100 + random_below(&random, 10)) * ONE,
                          ONE / 5 + random_below(&random, 100) * ONE / 1000,
                          ONE / 2 + random_below(&random, 100) * ONE / 100};
  base_rate = RATE;
  start_table();
  for (int i = 0; i < THREADS; i++) start(&threads[i], price_chunks, i);
  join_all(threads, THREADS);
  finish_table();

  Fixed expected_total = 0, expected_highest = 0;
  for (int i = 0; i < OPTIONS; i++) {
    expected_total += price[i];
    if (price[i] > expected_highest) expected_highest = price[i];
    if (i % 13 == 0 && price[i] != price_of(&options[i], RATE)) fail(BUG);
  }
  if (total != expected_total || highest != expected_highest || price[dearest] != highest)
    fail(BUG);
  return 0;
}
