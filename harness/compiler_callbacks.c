/* The functions that code compiled with -fsanitize=thread calls, in place of ThreadSanitizer's:
 * each reports an access to the run and then lets it happen. Link such objects with rff::callbacks
 * and without -fsanitize=thread. */
#include <rff/harness.h>
#include <string.h>

#define CALLER __builtin_return_address(0)

/* Called by the constructor of every object with callbacks. */
void __tsan_init(void) { rff_expect_accesses(); }
void __tsan_func_entry(void* caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}

#define PLAIN(size)                                                                                \
  void __tsan_read##size(void* address) { rff_access(address, size, RFF_READ, CALLER); }           \
  void __tsan_write##size(void* address) { rff_access(address, size, RFF_WRITE, CALLER); }         \
  void __tsan_unaligned_read##size(void* address) { rff_access(address, size, RFF_READ, CALLER); } \
  void __tsan_unaligned_write##size(void* address) {                                               \
    rff_access(address, size, RFF_WRITE, CALLER);                                                  \
  }                                                                                                \
  void __tsan_volatile_read##size(void* address) { rff_access(address, size, RFF_READ, CALLER); }  \
  void __tsan_volatile_write##size(void* address) {                                                \
    rff_access(address, size, RFF_WRITE, CALLER);                                                  \
  }                                                                                                \
  /* A read followed by a write of the same word; another thread may come between. */              \
  void __tsan_read_write##size(void* address) {                                                    \
    rff_access(address, size, RFF_READ, CALLER);                                                   \
    rff_access(address, size, RFF_WRITE, CALLER);                                                  \
  }                                                                                                \
  void __tsan_unaligned_read_write##size(void* address) {                                          \
    rff_access(address, size, RFF_READ, CALLER);                                                   \
    rff_access(address, size, RFF_WRITE, CALLER);                                                  \
  }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void* address, unsigned long size) {
  rff_access(address, size, RFF_READ, CALLER);
}
void __tsan_write_range(void* address, unsigned long size) {
  rff_access(address, size, RFF_WRITE, CALLER);
}
void __tsan_vptr_read(void** table) { rff_access(table, sizeof *table, RFF_READ, CALLER); }
void __tsan_vptr_update(void** table, void* value) {
  if (*table != value) {
    rff_access(table, sizeof *table, RFF_WRITE, CALLER);
  }
}
/* The memory functions are interposed and report by themselves. */
void* __tsan_memcpy(void* to, const void* from, unsigned long size) {
  return memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, unsigned long size) {
  return memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, unsigned long size) { return memset(to, value, size); }

/* Atomic accesses happen here, after the thread has had its turn: one thread runs at a time. */
#define MODIFY(bits, type, name, function)                                           \
  type __tsan_atomic##bits##_##name(volatile type* address, type value, int order) { \
    (void)order;                                                                     \
    rff_access((const void*)address, sizeof *address, RFF_READ_AND_WRITE, CALLER);   \
    return function(address, value, __ATOMIC_SEQ_CST);                               \
  }
#define EXCHANGE_IF(bits, type, name)                                                        \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile type* address, type* expected,  \
                                                    type value, int order, int fail_order) { \
    (void)order;                                                                             \
    (void)fail_order;                                                                        \
    rff_access((const void*)address, sizeof *address, RFF_READ_AND_WRITE, CALLER);           \
    return __atomic_compare_exchange_n(address, expected, value, 0, __ATOMIC_SEQ_CST,        \
                                       __ATOMIC_SEQ_CST);                                    \
  }
#define ATOMIC(bits, type)                                                                         \
  type __tsan_atomic##bits##_load(const volatile type* address, int order) {                       \
    (void)order;                                                                                   \
    rff_access((const void*)address, sizeof *address, RFF_READ, CALLER);                           \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type* address, type value, int order) {                \
    (void)order;                                                                                   \
    rff_access((const void*)address, sizeof *address, RFF_WRITE, CALLER);                          \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  MODIFY(bits, type, exchange, __atomic_exchange_n)                                                \
  MODIFY(bits, type, fetch_add, __atomic_fetch_add)                                                \
  MODIFY(bits, type, fetch_sub, __atomic_fetch_sub)                                                \
  MODIFY(bits, type, fetch_and, __atomic_fetch_and)                                                \
  MODIFY(bits, type, fetch_or, __atomic_fetch_or)                                                  \
  MODIFY(bits, type, fetch_xor, __atomic_fetch_xor)                                                \
  MODIFY(bits, type, fetch_nand, __atomic_fetch_nand)                                              \
  EXCHANGE_IF(bits, type, strong)                                                                  \
  EXCHANGE_IF(bits, type, weak)                                                                    \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* address, type expected,           \
                                                  type value, int order, int fail_order) {         \
    (void)order;                                                                                   \
    (void)fail_order;                                                                              \
    rff_access((const void*)address, sizeof *address, RFF_READ_AND_WRITE, CALLER);                 \
    __atomic_compare_exchange_n(address, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                               \
  }
ATOMIC(8, unsigned char)
ATOMIC(16, unsigned short)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long)

void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order) { (void)order; }
