// The events that the user lists for a selective walk (--scheduler surw:set=FILE).
#pragma once

#include <string_view>

#include "schedule/event_selection.h"
#include "schedule/search_choice.h"

namespace rff {

// Returns the selection that the choice asks for. Reads the file, if it names one: a
// PROGRAM+0xOFFSET in each line, as reports and traces name places in code; what follows '#' is a
// comment. Throws ToolError (2) that names the line.
EventSelection selection_of(const SearchChoice& choice);

// Makes the path of the file absolute, for processes that run elsewhere. Throws ToolError (2) if it
// is too long.
void make_selection_absolute(SearchChoice& choice);

}  // namespace rff
