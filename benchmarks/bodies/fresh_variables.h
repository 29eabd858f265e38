/* A program as the body of many runs: its variables as they are when it begins. The program is a
 * shared library, so that its variables lie together. */
#ifndef RFF_BENCHMARKS_FRESH_VARIABLES_H
#define RFF_BENCHMARKS_FRESH_VARIABLES_H

/* Puts the variables of the module with this code back as the first call found them. */
void fresh_variables(const void* code);

#endif
