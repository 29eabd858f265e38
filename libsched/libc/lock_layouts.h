// Fields of the C library's synchronization objects. Each assumption is checked at start; see
// assumptions.h.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <cstdint>

namespace rff::layout {

// Mutexes: a type (PTHREAD_MUTEX_…) and bits for further attributes.
inline int mutex_type(const void* mutex) {
  constexpr int kTypeMask = 3;
  return static_cast<const pthread_mutex_t*>(mutex)->__data.__kind & kTypeMask;
}
inline bool mutex_is_robust(const void* mutex) {
  constexpr int kRobustBit = 16;
  return (static_cast<const pthread_mutex_t*>(mutex)->__data.__kind & kRobustBit) != 0;
}
inline bool mutex_is_shared(const void* mutex) {  // the C library also marks all robust ones
  constexpr int kSharedBit = 128;
  return (static_cast<const pthread_mutex_t*>(mutex)->__data.__kind & kSharedBit) != 0;
}
// The number of no kernel thread, for fields in which the C library looks for its own one.
inline constexpr int kNoKernelThread = 1 << 30;
// The owner's kernel thread number; the C library only compares it with numbers of threads.
inline int& mutex_owner(const void* mutex) {
  return static_cast<pthread_mutex_t*>(const_cast<void*>(mutex))->__data.__owner;
}
inline bool mutex_is_free(const void* mutex) {
  const auto* m = static_cast<const pthread_mutex_t*>(mutex);
  return __atomic_load_n(&m->__data.__lock, __ATOMIC_SEQ_CST) == 0;
}

// Condition variables: both attributes are in one word. glibc 2.41 has moved it.
inline constexpr std::size_t kConditionWords[] = {9, 7};
inline std::size_t condition_word = kConditionWords[0];
inline std::uint32_t condition_attributes(const void* condition) {
  return static_cast<const std::uint32_t*>(condition)[condition_word];
}
inline bool condition_is_shared(const void* condition) {
  return (condition_attributes(condition) & 1) != 0;
}
inline bool condition_is_monotonic(const void* condition) {
  return (condition_attributes(condition) & 2) != 0;
}

inline bool rwlock_is_shared(const pthread_rwlock_t* lock) { return lock->__data.__shared != 0; }
inline bool rwlock_prefers_writers(const pthread_rwlock_t* lock) {
  return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}
// The number of the kernel thread that writes.
inline int& rwlock_writer(pthread_rwlock_t* lock) { return lock->__data.__cur_writer; }
// A field that the C library initializes and never uses.
inline auto& rwlock_unused(const pthread_rwlock_t* lock) {
  return const_cast<pthread_rwlock_t*>(lock)->__data.__pad4;
}

// Semaphores: the value in the first 32 bits.
inline std::uint32_t* semaphore_value(sem_t* semaphore) {
  return reinterpret_cast<std::uint32_t*>(semaphore);
}

}  // namespace rff::layout
