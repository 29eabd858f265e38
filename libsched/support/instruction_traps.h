// Makes instructions that ask the processor fault, where the kernel can: cpuid, rdtsc and rdtscp in
// code that is not patched. What the program is told instead is the caller's business.
#pragma once

#include <cstdint>

namespace rff::instruction_traps {

enum class Query { kNone, kProcessor, kTimestamp, kTimestampAndProcessor };

// Call once, when faults are handled. New threads and children inherit it.
void begin();
// For processes that are not under control, and before another program is executed: the kernel
// passes on that timestamps fault, and the loader of the other program reads one.
void end();
// Tells what the instruction asks that faulted at `rip`; its length is that of the instruction.
Query query_at(std::uint64_t rip, unsigned* length);

// Executes cpuid itself, whether or not it faults.
void execute_cpuid(std::uint32_t* a, std::uint32_t* b, std::uint32_t* c, std::uint32_t* d);

// While one exists nothing faults; for calls that execute other programs.
class Suspended {
 public:
  Suspended();
  ~Suspended();
  Suspended(const Suspended&) = delete;
  Suspended& operator=(const Suspended&) = delete;

 private:
  bool before_;
};

}  // namespace rff::instruction_traps
