// The main function of programs that have none: the linker takes this file from the archive only
// then.
#include <stdio.h>

#include "rff/test_framework.h"

// testing::InitGoogleTest(int*, char**), if the program is linked with GoogleTest.
__attribute__((weak)) void init_google_test(int*,
                                            char**) __asm__("_ZN7testing14InitGoogleTestEPiPPc");

int main(int argc, char** argv) {
  if (init_google_test != NULL && !rff_has_main()) {
    fprintf(
        stderr,
        "%s: its GoogleTest tests would not run: include rff/gtest.h, or link gtest_main before "
        "rff_property\n",
        argv[0]);
    return 2;
  }
  return rff_main(argc, argv);
}
