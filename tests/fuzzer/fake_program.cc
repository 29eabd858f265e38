// A program that looks patched.
#include "schedule/hook.h"

namespace {

struct Note {
  std::uint32_t owner_size = sizeof rff::hook::kNoteOwner;
  std::uint32_t value_size = sizeof(std::uint32_t);
  std::uint32_t type = rff::hook::kNoteType;
  char owner[4] = {'R', 'F', 'F', 0};
  std::uint32_t version = rff::hook::kHookVersion;
};
static_assert(sizeof rff::hook::kNoteOwner == sizeof Note::owner);

[[gnu::used, gnu::section(".note.rff")]] constinit const Note note;

}  // namespace

int main() { return 0; }
