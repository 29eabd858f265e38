/* print_features FILE...: what Centipede would hear of these inputs. It clears the section of extra features before each input and reads
 * the words that are not 0 afterwards. Prints a line for each input. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern uint64_t __start___centipede_extra_features[], __stop___centipede_extra_features[];
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    static uint8_t input[4096];
    FILE* file = fopen(argv[i], "rb");
    if (file == NULL) {
      return 2;
    }
    size_t size = fread(input, 1, sizeof input, file);
    fclose(file);
    uint64_t* begin = __start___centipede_extra_features;
    memset(begin, 0, (size_t)(__stop___centipede_extra_features - begin) * sizeof *begin);
    LLVMFuzzerTestOneInput(input, size);
    for (; begin < __stop___centipede_extra_features; ++begin) {
      if (*begin != 0) {
        printf("%lx ", (unsigned long)*begin);
      }
    }
    printf("\n");
  }
  return 0;
}
