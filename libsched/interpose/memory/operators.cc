// operator new and delete in all forms: with --check memory a block must go back to the family that
// made it. Without the check, and in programs that replace some of them, they call the program's.
#include <cstddef>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/memory/checked_heap.h"

using namespace rff;

namespace {

// Whether no other module has replaced an operator: blocks could come from one and go to ours.
bool all_are_ours = false;

constexpr std::size_t kPlain = 16;  // alignment of blocks without a wish

bool makes_blocks(const void* caller) { return all_are_ours && checked_heap::makes_blocks(caller); }

}  // namespace

#define RFF_FRAME static_cast<const char*>(__builtin_frame_address(0)) + 16

// `next`: the call of the next definition, which throws if there is no memory.
#define RFF_NEW(name, parameters, aligned_to, made_by, arguments)                        \
  RFF_EXPORT void* name parameters;                                                      \
  RFF_EXPORT void* name parameters {                                                     \
    if (makes_blocks(RFF_CALLER)) [[unlikely]] {                                         \
      if (void* block = checked_heap::allocate(                                          \
              {.size = size > 0 ? size : 1, .alignment = aligned_to, .family = made_by}, \
              {RFF_CALLER, RFF_FRAME})) {                                                \
        return block;                                                                    \
      }                                                                                  \
    }                                                                                    \
    return RFF_REAL(name) arguments;                                                     \
  }
#define RFF_DELETE(name, parameters, family, arguments)                                         \
  RFF_EXPORT void name parameters;                                                              \
  RFF_EXPORT void name parameters {                                                             \
    if (all_are_ours && block != nullptr && checked_heap::release(block, family, RFF_CALLER)) { \
      return;                                                                                   \
    }                                                                                           \
    RFF_REAL(name) arguments;                                                                   \
  }

#define RFF_SIZE std::size_t size
#define RFF_ALIGN std::size_t align
#define RFF_NOTHROW const void* nothrow
RFF_NEW(_Znwm, (RFF_SIZE), kPlain, AllocatorFamily::kNew, (size))
RFF_NEW(_Znam, (RFF_SIZE), kPlain, AllocatorFamily::kNewArray, (size))
RFF_NEW(_ZnwmRKSt9nothrow_t, (RFF_SIZE, RFF_NOTHROW), kPlain, AllocatorFamily::kNew,
        (size, nothrow))
RFF_NEW(_ZnamRKSt9nothrow_t, (RFF_SIZE, RFF_NOTHROW), kPlain, AllocatorFamily::kNewArray,
        (size, nothrow))
RFF_NEW(_ZnwmSt11align_val_t, (RFF_SIZE, RFF_ALIGN), align, AllocatorFamily::kNew, (size, align))
RFF_NEW(_ZnamSt11align_val_t, (RFF_SIZE, RFF_ALIGN), align, AllocatorFamily::kNewArray,
        (size, align))
RFF_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (RFF_SIZE, RFF_ALIGN, RFF_NOTHROW), align,
        AllocatorFamily::kNew, (size, align, nothrow))
RFF_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (RFF_SIZE, RFF_ALIGN, RFF_NOTHROW), align,
        AllocatorFamily::kNewArray, (size, align, nothrow))

#define RFF_BLOCK void* block
RFF_DELETE(_ZdlPv, (RFF_BLOCK), AllocatorFamily::kNew, (block))
RFF_DELETE(_ZdaPv, (RFF_BLOCK), AllocatorFamily::kNewArray, (block))
RFF_DELETE(_ZdlPvm, (RFF_BLOCK, RFF_SIZE), AllocatorFamily::kNew, (block, size))
RFF_DELETE(_ZdaPvm, (RFF_BLOCK, RFF_SIZE), AllocatorFamily::kNewArray, (block, size))
RFF_DELETE(_ZdlPvRKSt9nothrow_t, (RFF_BLOCK, RFF_NOTHROW), AllocatorFamily::kNew, (block, nothrow))
RFF_DELETE(_ZdaPvRKSt9nothrow_t, (RFF_BLOCK, RFF_NOTHROW), AllocatorFamily::kNewArray,
           (block, nothrow))
RFF_DELETE(_ZdlPvSt11align_val_t, (RFF_BLOCK, RFF_ALIGN), AllocatorFamily::kNew, (block, align))
RFF_DELETE(_ZdaPvSt11align_val_t, (RFF_BLOCK, RFF_ALIGN), AllocatorFamily::kNewArray,
           (block, align))
RFF_DELETE(_ZdlPvmSt11align_val_t, (RFF_BLOCK, RFF_SIZE, RFF_ALIGN), AllocatorFamily::kNew,
           (block, size, align))
RFF_DELETE(_ZdaPvmSt11align_val_t, (RFF_BLOCK, RFF_SIZE, RFF_ALIGN), AllocatorFamily::kNewArray,
           (block, size, align))
RFF_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (RFF_BLOCK, RFF_ALIGN, RFF_NOTHROW),
           AllocatorFamily::kNew, (block, align, nothrow))
RFF_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (RFF_BLOCK, RFF_ALIGN, RFF_NOTHROW),
           AllocatorFamily::kNewArray, (block, align, nothrow))

namespace rff {
namespace {

struct Operator {
  template <typename Function>
  Operator(const char* symbol, Function* function)
      : name(symbol), ours(reinterpret_cast<void*>(function)) {}
  const char* name;
  void* ours;
};

}  // namespace

void check_operators(void* all) {
#define RFF_OPERATOR(name) Operator(#name, &name)
  const Operator operators[] = {RFF_OPERATOR(_Znwm),
                                RFF_OPERATOR(_Znam),
                                RFF_OPERATOR(_ZnwmRKSt9nothrow_t),
                                RFF_OPERATOR(_ZnamRKSt9nothrow_t),
                                RFF_OPERATOR(_ZnwmSt11align_val_t),
                                RFF_OPERATOR(_ZnamSt11align_val_t),
                                RFF_OPERATOR(_ZnwmSt11align_val_tRKSt9nothrow_t),
                                RFF_OPERATOR(_ZnamSt11align_val_tRKSt9nothrow_t),
                                RFF_OPERATOR(_ZdlPv),
                                RFF_OPERATOR(_ZdaPv),
                                RFF_OPERATOR(_ZdlPvm),
                                RFF_OPERATOR(_ZdaPvm),
                                RFF_OPERATOR(_ZdlPvRKSt9nothrow_t),
                                RFF_OPERATOR(_ZdaPvRKSt9nothrow_t),
                                RFF_OPERATOR(_ZdlPvSt11align_val_t),
                                RFF_OPERATOR(_ZdaPvSt11align_val_t),
                                RFF_OPERATOR(_ZdlPvmSt11align_val_t),
                                RFF_OPERATOR(_ZdaPvmSt11align_val_t),
                                RFF_OPERATOR(_ZdlPvSt11align_val_tRKSt9nothrow_t),
                                RFF_OPERATOR(_ZdaPvSt11align_val_tRKSt9nothrow_t)};
#undef RFF_OPERATOR
  all_are_ours = true;
  for (const Operator& o : operators) {
    all_are_ours &= real::lookup(all, o.name) == o.ours;
  }
}

}  // namespace rff
