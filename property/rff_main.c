// Runs a program with properties: it runs them on random inputs or on one
// from a file; with the runtime it runs one of them once on the runtime's bytes.
#include <stdlib.h>
#include <string.h>

#include "property/options.h"
#include "property/registry.h"
#include "rff/runtime_interface.h"
#include "rff/test_framework.h"

static int (*main_of_framework)(int argc, char** argv);

void rff_set_main(int (*framework_main)(int argc, char** argv)) {
  main_of_framework = framework_main;
}

int rff_has_main(void) { return main_of_framework != NULL; }

// Returns zero after one line if the program has no properties or two of one name.
static int properties_are_well_named(const char* program) {
  const struct rff_property_entry* first = rff_first_property();
  if (first == NULL) {
    fprintf(stderr, "%s: this program has no property: write RFF_PROPERTY(name) { ... }\n",
            program);
    return 0;
  }
  for (const struct rff_property_entry* e = first; e != NULL; e = e->next) {
    const struct rff_property_entry* same = rff_find_property(e->name);
    if (same != e) {
      fprintf(stderr, "%s: two properties are named '%s' (%s:%d and %s:%d): rename one\n", program,
              e->name, same->file, same->line, e->file, e->line);
      return 0;
    }
  }
  return 1;
}

// Returns null after one line if there is no property of this name.
static const struct rff_property_entry* named_property(const char* program, const char* name) {
  const struct rff_property_entry* entry = rff_find_property(name);
  if (entry == NULL) {
    fprintf(stderr, "%s: there is no property '%s' (see --list-properties)\n", program, name);
  }
  return entry;
}

static int list_properties(void) {
  for (const struct rff_property_entry* e = rff_first_property(); e != NULL; e = e->next) {
    printf("%s\n", e->name);
  }
  return 0;
}

static int run_on_runtime_bytes(const char* program, const char* name, const unsigned char* data,
                                size_t size) {
  const struct rff_property_entry* only = NULL;
  if (name != NULL && (only = named_property(program, name)) == NULL) {
    return 2;
  }
  for (const struct rff_property_entry* e = rff_first_property(); e != NULL; e = e->next) {
    if (only == NULL || e == only) {
      rff_run_under_runtime(e, data, size);
    }
  }
  return 0;
}

// A replay needs one property.
static int is_ambiguous(const struct rff_command_line* line) {
  return line->run.replay != NULL && line->property == NULL && rff_first_property()->next != NULL;
}

// Writes the result, or to the standard error why there is none.
static enum rff_run_result run_one(const struct rff_property_entry* entry,
                                   const struct rff_run_options* options) {
  char* text = NULL;
  size_t length;
  FILE* out = open_memstream(&text, &length);
  if (out == NULL) {
    fprintf(stderr, "%s: out of memory\n", options->command);
    return RFF_NOT_RUN;
  }
  enum rff_run_result result = rff_run_property(entry, options, out);
  fclose(out);
  if (result == RFF_NOT_RUN) {
    fprintf(stderr, "%s: %s", options->command, text);
  } else {
    fputs(text, stdout);
    fflush(stdout);
  }
  free(text);
  return result;
}

static int run_alone(struct rff_command_line* line) {
  const char* program = line->run.command;
  const struct rff_property_entry* only = NULL;
  int status = 0;
  if (line->property != NULL && (only = named_property(program, line->property)) == NULL) {
    return 2;
  }
  if (is_ambiguous(line)) {
    fprintf(stderr, "%s: --replay needs --property NAME: there are several properties\n", program);
    return 2;
  }
  for (const struct rff_property_entry* e = rff_first_property(); e != NULL; e = e->next) {
    if (only != NULL && e != only) {
      continue;
    }
    char selection[512];
    snprintf(selection, sizeof selection, "--property=%s", e->name);
    line->run.selection = selection;
    enum rff_run_result result = run_one(e, &line->run);
    if (result == RFF_NOT_RUN) {
      return 2;
    }
    status |= result == RFF_ONE_FAILED;
  }
  return status;
}

int rff_main(int argc, char** argv) {
  const unsigned char* data;
  unsigned long size;
  struct rff_command_line line;
  int by_runtime = rff_runtime_input != NULL && rff_runtime_input(&data, &size);
  if (main_of_framework != NULL && !by_runtime) {
    return main_of_framework(argc, argv);
  }
  if (!rff_read_command_line(argc, argv, &line)) {
    return 2;
  }
  if (line.help) {
    rff_print_help(line.run.command);
    return 0;
  }
  if (!properties_are_well_named(line.run.command)) {
    return 2;
  }
  if (line.list) {
    return list_properties();
  }
  if (by_runtime) {
    const char* name = rff_runtime_property != NULL ? rff_runtime_property() : NULL;
    return run_on_runtime_bytes(line.run.command, name != NULL ? name : line.property, data, size);
  }
  return run_alone(&line);
}
