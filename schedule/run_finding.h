// What a run in shared memory led to, as a schedule file keeps it.
#pragma once

#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff {

// All decisions of a run, or none if the record does not hold all of them: a schedule without
// decisions repeats the run from its seed, one with a part of them would leave it.
std::vector<Decision> complete_decisions(const RunRecord& run);

// Kind, place, hash, decisions and failure of the last run. The writer may have died at any point:
// whatever it left is made plausible.
Finding finding_of(const SharedMemory& shared);

// A cheap stand-in for the identity of a failure: equal only for runs that failed in the same code,
// reached in the same way. Runs of one bug may have several.
std::uint64_t failure_key(const RunRecord& run);

}  // namespace rff
