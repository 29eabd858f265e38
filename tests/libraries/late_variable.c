/* A library with a thread-local variable in memory that a thread gets when it first uses it. */
static __thread int variable[1000] = {6};

int* late_variable(void) { return variable; }
