// Moves the runtime's code to one huge page. Children of the fork server inherit it with a single
// entry of their page tables, instead of a page fault for every 64 kB that they touch.
#pragma once

namespace rff {

// No effect if the loader has not placed the library at a multiple of a huge page.
void move_code_to_huge_page();

}  // namespace rff
