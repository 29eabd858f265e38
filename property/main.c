// The main function of programs that have none: the linker takes this file from the archive only
// then.
#include "rff/draws.h"

int main(int argc, char** argv) { return rff_main(argc, argv); }
