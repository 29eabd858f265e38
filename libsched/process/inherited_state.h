// State that a process passes on when it executes a program: working directory, file mask, limits,
// ignored signals, offset of standard input. A program that is restarted must find it unchanged.
#pragma once

namespace rff {

void remember_inherited_state();
void put_back_inherited_state();

}  // namespace rff
