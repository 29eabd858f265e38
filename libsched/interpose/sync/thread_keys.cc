#include "libsched/interpose/sync/thread_keys.h"

#include <limits.h>
#include <pthread.h>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

struct Key {
  bool used = false;
  void (*destructor)(void*) = nullptr;
};
Key keys[PTHREAD_KEYS_MAX];
pthread_key_t keys_end = 0;  // greater than every key that ever had a destructor

}  // namespace

void run_key_destructors() {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool any = false;
    for (pthread_key_t k = 0; k < keys_end; ++k) {
      if (!keys[k].used || keys[k].destructor == nullptr) {
        continue;
      }
      if (void* value = pthread_getspecific(k)) {
        any = true;
        pthread_setspecific(k, nullptr);
        keys[k].destructor(value);
      }
    }
    if (!any) {
      return;
    }
  }
}

}  // namespace rff

RFF_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  int error = RFF_REAL(pthread_key_create)(key, destructor);
  if (error == 0 && *key < PTHREAD_KEYS_MAX) {
    rff::keys[*key] = {true, destructor};
    if (destructor != nullptr && *key >= rff::keys_end) {
      rff::keys_end = *key + 1;
    }
  }
  return error;
}

RFF_EXPORT int pthread_key_delete(pthread_key_t key) noexcept {
  int error = RFF_REAL(pthread_key_delete)(key);
  if (error == 0 && key < PTHREAD_KEYS_MAX) {
    rff::keys[key] = {};
  }
  return error;
}
