// The entry of most accesses of patched code into the runtime, which returns at once if it can.
#pragma once

// Used as AccessHook::enter of a PatchedModule.
extern "C" __attribute__((visibility("hidden"))) void rff_access_entry();
