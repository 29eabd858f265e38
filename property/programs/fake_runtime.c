/* A pretended runtime, to be preloaded. FAKE_INPUT has the bytes in hex, FAKE_PROPERTY the name of
 * the property. Prints what it is told. Ends with status 77 for a discarded run, 78 for a failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rff/runtime_interface.h"

static unsigned char input[1024];

static void say(const char* what, const char* text) {
  printf("%s: %s\n", what, text);
  fflush(stdout);
}

int rff_runtime_input(const unsigned char** data, unsigned long* size) {
  const char* hex = getenv("FAKE_INPUT");
  if (hex == NULL) {
    return 0;
  }
  *size = 0;
  for (; hex[0] != 0 && hex[1] != 0; hex += 2) {
    char byte[3] = {hex[0], hex[1], 0};
    input[(*size)++] = (unsigned char)strtoul(byte, NULL, 16);
  }
  *data = input;
  return 1;
}

const char* rff_runtime_property(void) { return getenv("FAKE_PROPERTY"); }

unsigned rff_runtime_choose(unsigned n) { return n - 1; }

void rff_runtime_turn(const char* name) { say("turn", name); }

void rff_runtime_discard(void) {
  say("discard", "");
  _exit(77);
}

void rff_runtime_values(const char* text) { say("values", text); }

void rff_runtime_failed(const char* property, const char* message, const char* file, int line,
                        const void* caller) {
  (void)caller;
  say("failed", property);
  say("message", message);
  say("file", file);
  printf("line: %d\n", line);
  fflush(stdout);
  _exit(78);
}
