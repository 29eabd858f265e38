// Locks in a child that the program forks, where the C library itself serves them: those that
// threads hold are held there, too, by threads that the child does not have.
#pragma once

namespace rff {

void hold_mutexes_in_child();
void hold_rwlocks_in_child();
void hold_spin_locks_in_child();

}  // namespace rff
