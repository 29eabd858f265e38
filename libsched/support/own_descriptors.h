// Descriptors of the runtime. The program cannot close them or use their numbers by accident; if it
// wants one of the numbers for itself, the runtime's descriptor moves.
#pragma once

#include <cstdint>

namespace rff::own_descriptors {

enum Use : std::uint8_t {
  kControl,
  kStatus,
  kTrace,
  kReport,
  kTurn,
  kTemporary,
  kDriver,
  kOutputCopy,
  kInput,  // and one more for each part of an input
  kUses = kInput + 9
};

// The descriptor of afl-fuzz's commands; its answers go to the next one.
inline constexpr int kFuzzersControl = 198;
inline constexpr int kFuzzersStatus = 199;

// Reserves the fork server's numbers until the run begins, with a fuzzer (`served`) and without
// one, so that a program that looks at its descriptors sees the same.
void start(bool served);
// Moves descriptors back to afl-fuzz's numbers. Call before the process executes another program.
void put_back();
// Duplicates the descriptor at `place` for the next program. Call then, too.
void leave_to_next_program(Use use, int place);
// Begins a run: closes the fork server's descriptors.
void close_servers();

// Opens a file briefly, even if the program has opened as many as it may. Returns a negative error
// number on failure.
long open(const char* path, int flags);

// Moves `fd` out of the program's way and keeps it for `use`. Returns a negative value if there is
// no room.
int keep(Use use, int fd);
int get(Use use);  // -1: none
void close(Use use);

bool contains(int fd);
// Call when the program is about to make `fd` a descriptor of its own.
void make_room(int fd);

}  // namespace rff::own_descriptors
