// Calls the destructors of the program and of its libraries at the end of a run. The loader would
// call them all in its own order; but it locks and marks what it has loaded, and a child of the
// fork server copies a page for each of these. If only the program has any, the loader is not
// needed.
#pragma once

namespace rff {

// Call before the program's constructors. `by_loader`: the loader's own function for the task.
void remember_destructors(void (*by_loader)());
// Calls the destructors. Returns true if only the program has any, and no library has registered a
// function to be called after them.
bool call_destructors();

// Call when libraries may have destructors that remember_destructors and the list of libraries do
// not cover.
void leave_destructors_to_loader();

}  // namespace rff
