// What a process hands on when it executes a program: its folder, its file mask, its limits, what
// it ignores, how far it has read its standard input. A program that begins again must find it as
// it was.
#pragma once

namespace rff {

void remember_inherited_state();
void put_back_inherited_state();

}  // namespace rff
