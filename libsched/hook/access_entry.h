// The entries of most accesses of patched code into the runtime, which return at once if they can.
#pragma once

// Used as AccessHook::enter of a PatchedModule. The first one requires that no kernel thread runs
// patched code at the same time as the one of the run's threads.
extern "C" {
__attribute__((visibility("hidden"))) void rff_access_entry();
__attribute__((visibility("hidden"))) void rff_shared_access_entry();
}
