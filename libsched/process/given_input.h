// Gives the program the input that its schedule carries.
#pragma once

#include <cstddef>

#include "schedule/program_input.h"

namespace rff {

// Puts the input where the program will look for it. Call once per run, before main. Nothing of it
// is left for another run: a file is the run's own, without a name.
void give_input(const ProgramInput& input, char** arguments);

// The input that give_input has left for properties, in memory of the program's heap: its addresses
// are values of the program.
struct PropertyInput {
  const char* name = nullptr;           // null: all properties
  const unsigned char* data = nullptr;  // null: none was given
  std::size_t size = 0;
};
const PropertyInput& property_input();

}  // namespace rff
