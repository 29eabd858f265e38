#include "libsched/libc/assumptions.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "libsched/libc/lock_layouts.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

pthread_mutex_t mutex_with(int type, int robust, int shared) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robust);
  pthread_mutexattr_setpshared(&attributes, shared);
  pthread_mutex_t mutex;
  RFF_REAL(pthread_mutex_init)(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return mutex;
}

bool mutex_kinds() {
  for (int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK}) {
    for (int robust : {PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_ROBUST}) {
      for (int shared : {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED}) {
        pthread_mutex_t m = mutex_with(type, robust, shared);
        bool is_robust = robust == PTHREAD_MUTEX_ROBUST;
        if (layout::mutex_type(&m) != type || layout::mutex_is_robust(&m) != is_robust ||
            (!is_robust && layout::mutex_is_shared(&m) != (shared != 0))) {
          return false;
        }
      }
    }
  }
  return true;
}

bool mutex_state() {
  pthread_mutex_t m = mutex_with(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, 0);
  bool free_before = layout::mutex_is_free(&m) && layout::mutex_owner(&m) == 0;
  RFF_REAL(pthread_mutex_lock)(&m);
  bool taken = !layout::mutex_is_free(&m) &&
               layout::mutex_owner(&m) == static_cast<int>(real::syscall6(SYS_gettid));
  RFF_REAL(pthread_mutex_unlock)(&m);
  return free_before && taken && layout::mutex_is_free(&m) && layout::mutex_owner(&m) == 0;
}

bool condition_attributes_are_there() {
  for (int shared : {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED}) {
    for (clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC}) {
      pthread_condattr_t attributes;
      pthread_condattr_init(&attributes);
      pthread_condattr_setpshared(&attributes, shared);
      pthread_condattr_setclock(&attributes, clock);
      pthread_cond_t condition;
      RFF_REAL(pthread_cond_init)(&condition, &attributes);
      pthread_condattr_destroy(&attributes);
      if (layout::condition_is_shared(&condition) != (shared != 0) ||
          layout::condition_is_monotonic(&condition) != (clock == CLOCK_MONOTONIC)) {
        return false;
      }
    }
  }
  return true;
}

bool condition_attributes() {
  return std::any_of(std::begin(layout::kConditionWords), std::end(layout::kConditionWords),
                     [](std::size_t word) {
                       layout::condition_word = word;
                       return condition_attributes_are_there();
                     });
}

bool rwlock_attributes() {
  for (int shared : {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED}) {
    for (int kind :
         {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP}) {
      pthread_rwlockattr_t attributes;
      pthread_rwlockattr_init(&attributes);
      pthread_rwlockattr_setpshared(&attributes, shared);
      pthread_rwlockattr_setkind_np(&attributes, kind);
      pthread_rwlock_t lock;
      RFF_REAL(pthread_rwlock_init)(&lock, &attributes);
      pthread_rwlockattr_destroy(&attributes);
      bool writers = kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
      if (layout::rwlock_is_shared(&lock) != (shared != 0) ||
          layout::rwlock_prefers_writers(&lock) != writers || layout::rwlock_unused(&lock) != 0) {
        return false;
      }
    }
  }
  return true;
}

bool semaphore_value() {
  constexpr unsigned kUnusual = 0x5a5a5;
  sem_t semaphore;
  RFF_REAL(sem_init)(&semaphore, 0, kUnusual);
  return *layout::semaphore_value(&semaphore) == kUnusual;
}

}  // namespace

const char* broken_assumption() {
  struct Assumption {
    const char* name;
    bool (*holds)();
  };
  constexpr Assumption kAll[] = {
      {"the kind of a mutex", mutex_kinds},
      {"the owner and the lock of a mutex", mutex_state},
      {"the attributes of a condition variable", condition_attributes},
      {"the attributes of a read-write lock", rwlock_attributes},
      {"the value of a semaphore", semaphore_value},
  };
  for (const Assumption& a : kAll) {
    if (!a.holds()) {
      return a.name;
    }
  }
  return nullptr;
}

}  // namespace rff
