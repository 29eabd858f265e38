/* A library with thread-local variables: one that the loader places in memory that every thread has
 * from its beginning, and one that it places where it likes. */
static __thread int early __attribute__((tls_model("initial-exec"))) = 5;
static __thread int late = 6;

int* early_variable(void) { return &early; }
int* late_variable(void) { return &late; }
