// The processors of the machine, as the program sees them: every way to ask gives the same answer,
// which does not depend on the machine. One package of one-threaded cores on one memory node.
#pragma once

#include <sched.h>

#include <string>

namespace rff {

struct Thread;

// The number of processors that the program sees (rff-fuzz --processors).
unsigned processors();
// The bytes of a set of processors in the kernel's form: whole words that hold all of them.
std::size_t processor_set_bytes();

// A thread runs on the first processor that it may use. It inherits what it may use.
unsigned current_processor();
// As the system calls: return 0 or an error number.
int get_affinity(const Thread& thread, std::size_t bytes, cpu_set_t* set);
int set_affinity(Thread& thread, std::size_t bytes, const cpu_set_t* set);

// Sets of processors in the two notations of the kernel's files: "0-2" and "7".
std::string processor_list(const Thread& thread);
std::string processor_mask(const Thread& thread);
std::string all_processors_list();
std::string all_processors_mask();

}  // namespace rff
