// The command line of a program with properties.
#ifndef RFF_PROPERTY_OPTIONS_H
#define RFF_PROPERTY_OPTIONS_H

#include "property/runner.h"

struct rff_command_line {
  struct rff_run_options run;
  const char* property;  // null: all
  int list;
  int help;
};

// Returns zero after one line on the standard error that says what is wrong.
int rff_read_command_line(int argc, char** argv, struct rff_command_line* line);

// A whole number of at most `most`; nonzero if the text is one.
int rff_read_number(const char* text, unsigned long long most, unsigned long long* number);

// A seed that differs from process to process.
uint64_t rff_new_seed(void);

void rff_print_help(const char* program);

#endif
