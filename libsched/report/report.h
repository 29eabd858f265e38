// The end of a run that failed, however that was noticed.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/engine/thread.h"
#include "schedule/schedule_file.h"

namespace rff::findings {

// `place`: of a crash, inside the instruction that failed; else a return address. `address`: what
// a fault was about.
// Whose stack that is: the thread that runs, or one that has just ended and is being cleared away.
Thread& thread_at(std::uint64_t rsp);
[[noreturn]] void report(FindingKind kind, CodeName place, const std::string& message, int signal,
                         const StopContext& where, std::uint64_t address = 0);
[[noreturn]] void die(int signal);

std::string hex(std::uint64_t v);
std::string code_text(CodeName c);

}  // namespace rff::findings
