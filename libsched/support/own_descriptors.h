// Descriptors of the runtime. The program cannot close them or use their numbers by accident; where
// it wants one of the numbers for itself, ours moves.
#pragma once

#include <cstdint>

namespace rff::own_descriptors {

enum Use : std::uint8_t { kControl, kStatus, kTrace, kReport, kTurn, kTemporary, kUses };

// Where afl-fuzz puts commands and wants its answers.
inline constexpr int kFuzzersControl = 198;
inline constexpr int kFuzzersStatus = 199;

// From the start of the process until its run begins the numbers of the fork server are taken, with
// a fuzzer (`served`) and without one: a program that looks at its descriptors sees the same.
void start(bool served);
// Back where afl-fuzz has put them: before the process executes another program.
void put_back();
// Likewise: the next program finds a duplicate of the descriptor at `place`.
void leave_to_next_program(Use use, int place);
// A run begins: it has nothing to do with the fork server.
void close_servers();

// A file for a moment, also where the program has opened as many as it may; below 0: the error.
long open(const char* path, int flags);

// As the descriptor `fd`, moved out of the program's way; below 0: there is no room.
int keep(Use use, int fd);
int get(Use use);  // -1: none
void close(Use use);

bool contains(int fd);
// The program is about to make `fd` a descriptor of its own.
void make_room(int fd);

}  // namespace rff::own_descriptors
