// What the children of the fork server find mapped already.
//
// A fork copies no page table of a mapping that can be filled from its file again, so every child
// takes a page fault for every few pages of code it runs: a fifth of what a short run costs. A
// mapping in which one page is the process's own is copied whole.
#pragma once

namespace rff {

void let_children_inherit_code();

}  // namespace rff
