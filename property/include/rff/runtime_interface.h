/* The functions by which a program with properties speaks with the runtime of RFF. The runtime
 * defines them in libsched.so; the program refers to them weakly, so each may be absent. Its
 * dynamic symbols have rff_runtime_input, also if it is stripped: that tells that it has
 * properties. Every function is called by the thread that runs the property unless its comment
 * says otherwise. */
#ifndef RFF_RUNTIME_INTERFACE_H
#define RFF_RUNTIME_INTERFACE_H

#ifdef __cplusplus
extern "C" {
#endif

#define RFF_RUNTIME_FUNCTION __attribute__((weak, visibility("default")))

/* Returns nonzero if a runtime is present and gives the bytes of this run, zero if the program
 * runs by itself. It is called before the first property of the process and may be called again;
 * every answer is the same. The bytes stay valid and unchanged until the process ends. */
RFF_RUNTIME_FUNCTION int rff_runtime_input(const unsigned char** data, unsigned long* size);

/* Returns the name of the property to run. Null: every property of the program runs once on the
 * bytes, in the order in which they are registered. */
RFF_RUNTIME_FUNCTION const char* rff_runtime_property(void);

/* Returns a recorded decision below n; n is at least 1. Any thread may call it. */
RFF_RUNTIME_FUNCTION unsigned rff_runtime_choose(unsigned n);

/* Begins a turn of the program's own event loop. The name need not outlive the call. Any thread
 * may call it. */
RFF_RUNTIME_FUNCTION void rff_runtime_turn(const char* name);

/* Ends the run without a finding: its input does not meet the property's assumptions. Does not
 * return. Any thread may call it. */
RFF_RUNTIME_FUNCTION void rff_runtime_discard(void);

/* Gives the values of this run as text, one per line, at most 65,536 bytes with the final zero.
 * Parameters of a C++ property are given before its body runs. Values that the body draws itself
 * are given as they are drawn: each text contains the earlier ones, so the last text counts. The
 * text need not outlive the call. */
RFF_RUNTIME_FUNCTION void rff_runtime_values(const char* text);

/* Ends the run with a finding: the property failed at this place; `caller` is the return address of
 * the check. The texts stay valid until the process ends. Does not return. Any thread may call
 * it. */
RFF_RUNTIME_FUNCTION void rff_runtime_failed(const char* property, const char* message,
                                             const char* file, int line, const void* caller);

/* How integers lie in the input, for mutators that put a value there: little-endian in the width
 * of their type, nonnegative ones as they are. A negative one has its sign bit set and all other
 * bits inverted: -1 is 80 in the last byte, zero in the others. */

#ifdef __cplusplus
}
#endif

#endif
