// The stacks on which signals are handled.
//
// The kernel is told of one stack of the runtime and never of the program's, since all threads may
// run on one kernel thread. A handler that asks for its thread's own stack is called on it here.
#pragma once

#include <signal.h>

#include <type_traits>

namespace rff::signal_stacks {

// Lets the calling kernel thread handle signals on stacks of the runtime, which are its own.
void use_own();
// Returns whether the place is on a stack that use_own has made.
bool is_own(const void* place);

// Calls `f` on the stack that the program has given to its thread. Call it from a handler that
// interrupted a place outside of that stack. Other signals may arrive and threads may switch
// meanwhile; `f` may jump away.
void call_on(const stack_t& stack, void (*f)(void*), void* argument);

template <typename F>
void call_on(const stack_t& stack, F&& f) {
  using Function = std::remove_reference_t<F>;
  call_on(
      stack, [](void* function) { (*static_cast<Function*>(function))(); }, &f);
}

}  // namespace rff::signal_stacks
