// The run of one property on one input in this process, and the draws and checks of its body.
#include "property/current_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rff/runtime_interface.h"
#include "rff/test_framework.h"

static struct {
  const struct rff_property_entry* entry;
  struct rff_source source;
  struct rff_run_log* log;
  void (*on_failure)(void);
  jmp_buf discarded;
} run;
static _Thread_local int on_property_thread;
static int under_runtime;
static int (*other_failure)(void);

void rff_tell_runtime(void) { under_runtime = 1; }

void rff_set_other_failure(int (*failed)(void)) { other_failure = failed; }

struct rff_source* rff_current_source(void) {
  return &run.source;
}

static void call_body(void) {
  if (run.entry->throws || setjmp(run.discarded) == 0) {
    run.entry->run(run.entry->context);
  }
}

enum rff_outcome rff_run_here(const struct rff_property_entry* entry, const unsigned char* data,
                              size_t size, struct rff_run_log* log, void (*on_failure)(void)) {
  run.entry = entry;
  run.source = (struct rff_source){data, size, 0};
  run.log = log;
  run.on_failure = on_failure;
  log->discarded = log->failed = log->line = 0;
  log->file[0] = log->message[0] = log->values[0] = 0;
  on_property_thread = 1;
  call_body();
  on_property_thread = 0;
  if (other_failure != NULL && other_failure()) {
    if (log->discarded) {
      _exit(0);  // else the expectation would fail the next run
    }
    rff_failed("an expectation of GoogleTest failed", entry->file, entry->line);
  }
  run.entry = NULL;
  run.source = (struct rff_source){NULL, 0, 0};
  return log->discarded ? RFF_DISCARDED : RFF_PASSED;
}

void rff_failed(const char* message, const char* file, int line) {
  if (run.entry == NULL) {
    fprintf(stderr, "%s at %s:%d, outside of a property\n", message, file, line);
    abort();
  }
  if (__atomic_exchange_n(&run.log->failed, 1, __ATOMIC_SEQ_CST) == 0) {
    run.log->line = line;
    run.log->place = __builtin_return_address(0);
    snprintf(run.log->file, sizeof run.log->file, "%s", file);
    snprintf(run.log->message, sizeof run.log->message, "%s", message);
    run.on_failure();
    abort();
  }
  for (;;) {
    pause();  // another thread failed first and ends the process
  }
}

int rff_discards_by_exception(void) {
  if (run.entry == NULL || under_runtime) {
    return 0;
  }
  run.log->discarded = 1;
  return run.entry->throws && on_property_thread;
}

void rff_discard(void) {
  if (run.entry == NULL) {
    fprintf(stderr, "rff_assume failed outside of a property\n");
    abort();
  }
  if (under_runtime && rff_runtime_discard != NULL) {
    rff_runtime_discard();
  }
  run.log->discarded = 1;
  if (!run.entry->throws && on_property_thread) {
    longjmp(run.discarded, 1);
  }
  _exit(0);  // other threads and frames of C++ cannot be left otherwise
}

void rff_values(const char* text) {
  if (run.log == NULL) {
    return;
  }
  size_t size = strlen(text);
  if (size >= RFF_MOST_VALUES) {
    size = RFF_MOST_VALUES - 4;
    memcpy(run.log->values, text, size);
    memcpy(run.log->values + size, "...", 4);
  } else {
    memcpy(run.log->values, text, size + 1);
  }
  if (under_runtime && rff_runtime_values != NULL) {
    rff_runtime_values(run.log->values);
  }
}

// Adds the value of a draw in the body. Text beyond the limit is left out.
__attribute__((format(printf, 1, 2))) static void drew(const char* format, ...) {
  if (run.entry == NULL) {
    return;
  }
  size_t used = strlen(run.log->values);
  size_t left = RFF_MOST_VALUES - used;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(run.log->values + used, left, format, arguments);
  va_end(arguments);
  if (under_runtime && rff_runtime_values != NULL) {
    rff_runtime_values(run.log->values);
  }
}

int rff_bool(void) {
  int value = (int)(rff_source_number(&run.source, 1) & 1);
  drew("rff_bool() = %d\n", value);
  return value;
}

int rff_int(int lo, int hi) {
  int value = (int)rff_source_signed_range(&run.source, lo, hi);
  drew("rff_int(%d, %d) = %d\n", lo, hi, value);
  return value;
}

long rff_long(void) {
  long value = (long)rff_source_signed(&run.source, sizeof(long));
  drew("rff_long() = %ld\n", value);
  return value;
}

double rff_double(void) {
  double value = rff_source_double(&run.source);
  drew("rff_double() = %.17g\n", value);
  return value;
}

unsigned rff_pick(unsigned n) {
  unsigned value = (unsigned)rff_source_unsigned_range(&run.source, 0, n - 1);
  drew("rff_pick(%u) = %u\n", n, value);
  return value;
}

// A buffer of draws is written with at most this many characters.
enum { MOST_QUOTED = 4096 };

static void drew_text(const char* function, const unsigned char* data, size_t size) {
  char quoted[MOST_QUOTED + 8];
  size_t used = 0;
  size_t i = 0;
  for (; i < size && used < MOST_QUOTED; i++) {
    const char* plain = data[i] >= ' ' && data[i] < 127 ? "%c" : "\\x%02x";
    const char* form = data[i] == '"' || data[i] == '\\' ? "\\%c" : plain;
    used += (size_t)snprintf(quoted + used, sizeof quoted - used, form, data[i]);
  }
  quoted[used] = 0;
  drew("%s = \"%s\"%s (%zu bytes)\n", function, quoted, i < size ? "..." : "", size);
}

size_t rff_bytes(void* buffer, size_t most) {
  size_t size = rff_source_bytes(&run.source, buffer, most);
  drew_text("rff_bytes()", buffer, size);
  return size;
}

size_t rff_string(char* buffer, size_t most) {
  size_t size = rff_source_string(&run.source, buffer, most);
  drew_text("rff_string()", (const unsigned char*)buffer, size);
  return size;
}
