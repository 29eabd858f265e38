// The runtime's own code in one huge page. The children of the fork server inherit it with a single
// entry of their page tables, where they would take a page fault for every 64 kB of it that they
// come to.
#pragma once

namespace rff {

// Does nothing where the loader has not placed the library at a multiple of a huge page.
void move_code_to_huge_page();

}  // namespace rff
