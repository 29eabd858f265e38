/* How a test framework runs the properties of a program as tests of its own; rff/gtest.h is the
 * example. */
#ifndef RFF_TEST_FRAMEWORK_H
#define RFF_TEST_FRAMEWORK_H

#include "rff/draws.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls the function for every property, those that are registered and those to come. Only the
 * first call in a program has an effect. */
void rff_on_every_property(void (*added)(const struct rff_property_entry*));

/* Sets the framework's own check: nonzero if the run that just ended failed an expectation. */
void rff_set_other_failure(int (*failed)(void));

/* Sets what the library's main function does instead of running the properties itself. */
void rff_set_main(int (*framework_main)(int argc, char** argv));
/* Nonzero if it was set. */
int rff_has_main(void);

enum rff_test_result { RFF_TEST_PASSED, RFF_TEST_FAILED, RFF_TEST_SKIPPED };

/* Runs a property as often as RFF_PROPERTY_RUNS says (1,000), with the random inputs of
 * RFF_PROPERTY_SEED or with the one in the file RFF_PROPERTY_REPLAY. With the runtime: once, on
 * its bytes, or skipped if it asks for another property. `report` receives one text, to be freed
 * by the caller. `filter` is the framework's option that selects this test. */
enum rff_test_result rff_test_property(const struct rff_property_entry* entry, const char* filter,
                                       char** report);

#ifdef __cplusplus
}
#endif

#endif
