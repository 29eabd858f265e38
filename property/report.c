// The words in which a failure is told.
#include "property/report.h"

#include <ctype.h>
#include <string.h>

// Writes a word so that a shell reads it back.
static void write_word(FILE* out, const char* word) {
  static const char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (word[0] != 0 && strspn(word, kPlain) == strlen(word)) {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (const char* c = word; *c != 0; c++) {
    fputs(*c == '\'' ? "'\\''" : (char[]){*c, 0}, out);
  }
  fputc('\'', out);
}

static void write_kind(const struct rff_verdict* verdict, FILE* out) {
  switch (verdict->kind) {
    case RFF_RUN_CHECK_FAILED:
      fprintf(out, "%s at %s:%d", verdict->message, verdict->file, verdict->line);
      break;
    case RFF_RUN_CRASHED:
      fprintf(out, "crashed with signal %d (%s)", verdict->code, strsignal(verdict->code));
      break;
    case RFF_RUN_EXITED: fprintf(out, "ended the process with status %d", verdict->code); break;
    case RFF_RUN_HANGS: fprintf(out, "did not end within %d s", verdict->code); break;
    default: fprintf(out, "passed"); break;
  }
}

// Indents each line.
static void write_values(const char* values, FILE* out) {
  if (values[0] == 0) {
    fprintf(out, "  (no values drawn)\n");
  }
  while (*values != 0) {
    size_t length = strcspn(values, "\n");
    fprintf(out, "  %.*s\n", (int)length, values);
    values += length + (values[length] == '\n');
  }
}

static void write_bytes(const struct rff_failure* failure, FILE* out) {
  enum { SHOWN = 32 };
  fprintf(out, "  input:");
  for (size_t i = 0; i < failure->size && i < SHOWN; i++) {
    fprintf(out, " %02x", failure->input[i]);
  }
  fprintf(out, "%s (%zu byte%s", failure->size > SHOWN ? " ..." : "", failure->size,
          failure->size == 1 ? "" : "s");
  if (failure->size_before > failure->size) {
    fprintf(out, ", made smaller from %zu", failure->size_before);
  }
  fprintf(out, ")\n");
}

// The file's name is the property's, with letters, digits, '-', '.' and '_' only.
static void name_file(const char* property, char* file, size_t most) {
  snprintf(file, most, "%.*s.input", 200, property);
  for (char* c = file; *c != 0; c++) {
    if (!isalnum((unsigned char)*c) && (strchr("-._", *c) == NULL || c == file)) {
      *c = '_';
    }
  }
}

static int write_file(const char* name, const struct rff_failure* failure) {
  FILE* file = fopen(name, "wb");
  if (file == NULL) {
    return 0;
  }
  size_t written = fwrite(failure->input, 1, failure->size, file);
  return fclose(file) == 0 && written == failure->size;
}

static void write_command(const struct rff_run_options* options, const char* file, int often,
                          FILE* out) {
  fprintf(out, "  replay: ");
  if (options->by_environment) {
    fprintf(out, "%sRFF_PROPERTY_REPLAY=", often ? "RFF_PROPERTY_RUNS=1000 " : "");
    write_word(out, file);
    fprintf(out, " ");
  }
  write_word(out, options->command);
  fprintf(out, " ");
  write_word(out, options->selection);
  if (!options->by_environment) {
    fprintf(out, " --replay ");
    write_word(out, file);
    fprintf(out, "%s", often ? " --runs 1000" : "");
  }
  fprintf(out, "\n");
}

void rff_report_failure(const struct rff_property_entry* entry,
                        const struct rff_run_options* options, const struct rff_failure* failure,
                        FILE* out) {
  char file[256];
  fprintf(out, "FAILED %s: ", entry->name);
  write_kind(failure->verdict, out);
  fprintf(out, "\n");
  write_values(failure->verdict->values, out);
  write_bytes(failure, out);
  if (failure->repeated < failure->repetitions) {
    fprintf(out,
            "  failed in %u of %u further runs with these values: the order of threads or what "
            "earlier runs left decides\n",
            failure->repeated, failure->repetitions);
  }
  if (options->replay != NULL) {
    return;
  }
  fprintf(out, "  found in run %lu with --seed %llu\n", failure->run,
          (unsigned long long)options->seed);
  name_file(entry->name, file, sizeof file);
  if (write_file(file, failure)) {
    write_command(options, file, failure->repeated < failure->repetitions, out);
  } else {
    fprintf(out, "  cannot write the input to %s: run it in a folder that you can write to\n",
            file);
  }
}
