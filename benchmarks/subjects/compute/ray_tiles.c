// Casts rays at spheres: threads take tiles of the picture from a shared counter, collect the light
// of a tile in one of a few scratch buffers, which lie in a list, and copy it to the picture.
#include <stdatomic.h>
#include <string.h>

#include "compute.h"

enum { THREADS = 3, TILES = 24, PIXELS = 8, SPHERES = 5, BUFFERS = 4, NONE = -1 };

typedef struct {
  int x, y, z, radius;
} Sphere;

static const int RANGE = 1 << 12;
static int samples;
static int picture[TILES][PIXELS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int next_tile;
static volatile int owner[TILES];  // the thread that has taken it, plus one
static volatile int tiles_done, pixels_done;
static volatile long light;
static int buffer[BUFFERS][PIXELS];
static volatile int next_free[BUFFERS];
static atomic_int first_free;
static atomic_int in_use[BUFFERS];

static int root(int square) {
  int result = 0;
  for (int bit = 1 << 15; bit > 0; bit >>= 1)
    if ((result + bit) * (long)(result + bit) <= square) result += bit;
  return result;
}

static void make_scene(Sphere* sphere) {
  uint64_t random = 1013904223;
  for (int i = 0; i < SPHERES; i++)
    sphere[i] = (Sphere){random_below(&random, RANGE), random_below(&random, RANGE),
                         RANGE + random_below(&random, RANGE), 500 + random_below(&random, 1000)};
}

// The light of one pixel: the mean over rays, each as bright as the sphere that it hits is near.
static int trace(const Sphere* sphere, int tile, int pixel) {
  uint64_t random = 69069 + (uint64_t)(tile * PIXELS + pixel);
  int count = samples;
  long sum = 0;
  for (int i = 0; i < count; i++) {
    int x = tile * RANGE / TILES + random_below(&random, 200);
    int y = pixel * RANGE / PIXELS + random_below(&random, 500), nearest = 2 * RANGE;
    for (int k = 0; k < SPHERES; k++) {
      int dx = sphere[k].x - x, dy = sphere[k].y - y;
      int square = sphere[k].radius * sphere[k].radius - dx * dx - dy * dy;
      if (square < 0) continue;
      int depth = sphere[k].z - root(square);
      if (depth < nearest) nearest = depth;
    }
    sum += 2 * RANGE - nearest;
  }
  return (int)(sum / count);
}

static int take_tile(int self) {
#if BUG == 2
  // Two orderings: another thread takes a tile between this read and this write of the counter.
  int tile = next_tile;
  next_tile = tile + 1;
  pthread_mutex_lock(&lock);
#else
  pthread_mutex_lock(&lock);
  int tile = next_tile++;
#endif
  if (tile < TILES && owner[tile] != 0) fail(BUG);
  if (tile < TILES) owner[tile] = self + 1;
  pthread_mutex_unlock(&lock);
  return tile;
}

static int take_buffer(void) {
#if BUG == 5
  // Three orderings: after this thread has read the first buffer and the next, a second one takes
  // the first, a third one takes the next, and the first comes back before this thread compares.
  int taken, next;
  do {
    taken = atomic_load(&first_free);
    if (taken == NONE) fail(5);
    next = next_free[taken];
  } while (!atomic_compare_exchange_strong(&first_free, &taken, next));
#else
  pthread_mutex_lock(&lock);
  int taken = atomic_load(&first_free);
  atomic_store(&first_free, next_free[taken]);
  pthread_mutex_unlock(&lock);
#endif
  if (atomic_exchange(&in_use[taken], 1)) fail(BUG);
  return taken;
}

static void return_buffer(int taken) {
  atomic_store(&in_use[taken], 0);
#if BUG == 5
  int first = atomic_load(&first_free);
  do next_free[taken] = first;
  while (!atomic_compare_exchange_strong(&first_free, &first, taken));
#else
  pthread_mutex_lock(&lock);
  next_free[taken] = atomic_load(&first_free);
  atomic_store(&first_free, taken);
  pthread_mutex_unlock(&lock);
#endif
}

static void count_tile(long tile_light) {
#if BUG == 3
  // Two orderings: the pixels are read before another thread counts its tile, the tiles after it.
  int seen = pixels_done;
  if (seen != tiles_done * PIXELS) fail(3);
#elif BUG == 4
  // Two orderings: another thread adds its light between this read and this write.
  light = light + tile_light;
#endif
  pthread_mutex_lock(&lock);
  if (BUG != 4) light = light + tile_light;
  pixels_done = pixels_done + PIXELS;
  tiles_done = tiles_done + 1;
  pthread_mutex_unlock(&lock);
}

static void* render(void* arg) {
  Sphere sphere[SPHERES];
  make_scene(sphere);
  for (int tile; (tile = take_tile((int)(long)arg)) < TILES;) {
    int taken = take_buffer();
    long sum = 0;
    for (int i = 0; i < PIXELS; i++) sum += buffer[taken][i] = trace(sphere, tile, i);
    memcpy(picture[tile], buffer[taken], sizeof picture[tile]);
    return_buffer(taken);
    count_tile(sum);
  }
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[THREADS];
  samples = scaled(6000, argc, argv);
  for (int i = 0; i < BUFFERS; i++) next_free[i] = i + 1 < BUFFERS ? i + 1 : NONE;
  start_table();
  for (int i = 0; i < THREADS; i++) start(&threads[i], render, i);
  join_all(threads, THREADS);
  finish_table();

  Sphere sphere[SPHERES];
  long expected = 0;
  make_scene(sphere);
  for (int tile = 0; tile < TILES; tile++)
    for (int i = 0; i < PIXELS; i++) {
      expected += picture[tile][i];
      if (tile % 5 == 0 && picture[tile][i] != trace(sphere, tile, i)) fail(BUG);
    }
  if (light != expected || tiles_done != TILES) fail(BUG);
  return 0;
}
