// Where most accesses of patched code enter the runtime, and leave it again at once.
#pragma once

// For AccessHook::enter of a PatchedModule.
extern "C" __attribute__((visibility("hidden"))) void rff_access_entry();
