// The destructors of the program and of its libraries, at the end of a run. The loader would call
// them all, in an order of its own; but it locks and marks what it has loaded, and a child of the
// fork server copies a page for each of these. Where only the program has any, nobody needs the
// loader for it.
#pragma once

namespace rff {

// Before the program's constructors; `by_loader` is the loader's own way.
void remember_destructors(void (*by_loader)());
// Calls them. True: only the program has any, and no library has registered a function that is to
// be called after them.
bool call_destructors();

// Libraries may have destructors of which remember_destructors and the list of libraries know
// nothing.
void leave_destructors_to_loader();

}  // namespace rff
