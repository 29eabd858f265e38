// Converts the record of a run in shared memory to the Finding that a schedule file stores.
#pragma once

#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff {

// Returns all decisions of a run, or none if the record is incomplete: a schedule without decisions
// repeats the run from its seed, whereas one with only some of them would diverge.
std::vector<Decision> complete_decisions(const RunRecord& run);

// Returns kind, place, hash, decisions and failure of the last run. The writer may have died at any
// point, so values out of range are replaced.
Finding finding_of(const SharedMemory& shared);

// A cheap key for the identity of a failure: runs with equal keys failed in the same code, reached
// through the same calls. One bug may have several keys.
std::uint64_t failure_key(const RunRecord& run);

}  // namespace rff
