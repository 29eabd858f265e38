/* A library with a thread-local variable in memory that every thread has from its beginning. */
static __thread int variable __attribute__((tls_model("initial-exec"))) = 5;

int* early_variable(void) { return &variable; }
