// The command line of a program with properties.
#include "property/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void rff_print_help(const char* program) {
  printf(
      "Usage: %s [OPTIONS]\n"
      "Runs each property of this program on random inputs.\n"
      "\n"
      "  --runs N           inputs for each property (default 1000); with --replay, runs of its "
      "input (default 1)\n"
      "  --seed N           makes the random inputs repeat\n"
      "  --property NAME    runs only this property\n"
      "  --replay FILE      runs the property on the input in this file\n"
      "  --timeout SECONDS  that one run may take (default 10, 0: any time)\n"
      "  --list-properties  prints the names of the properties\n"
      "  --help             prints this text\n"
      "\n"
      "Exit status: 0 all passed, 1 a property failed, 2 the command line is wrong.\n",
      program);
}

uint64_t rff_new_seed(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t mixed =
      (uint64_t)now.tv_sec * 1000003u ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 20;
  return mixed % 1000000007u;
}

int rff_read_number(const char* text, unsigned long long most, unsigned long long* number) {
  char* end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0 && *number <= most;
}

struct reader {
  struct rff_command_line* line;
  const char* program;
  char** next;
  int runs_given;
};

// The value in "--name VALUE" or "--name=VALUE". Null if the option has another name.
static const char* value_of(struct reader* reader, const char* name, int* wrong) {
  size_t length = strlen(name);
  const char* word = *reader->next;
  if (strncmp(word, name, length) != 0 || (word[length] != 0 && word[length] != '=')) {
    return NULL;
  }
  if (word[length] == '=') {
    return word + length + 1;
  }
  if (reader->next[1] == NULL) {
    fprintf(stderr, "%s: %s needs a value (see --help)\n", reader->program, name);
    *wrong = 1;
    return "";
  }
  return *++reader->next;
}

static int number_option(struct reader* reader, const char* name, unsigned long long least,
                         unsigned long long most, unsigned long long* number, int* wrong) {
  const char* text = value_of(reader, name, wrong);
  if (text == NULL) {
    return 0;
  }
  if (!*wrong && (!rff_read_number(text, most, number) || *number < least)) {
    fprintf(stderr, "%s: %s takes a number from %llu to %llu, not '%s'\n", reader->program, name,
            least, most, text);
    *wrong = 1;
  }
  return 1;
}

// Returns zero if the word is wrong and was complained about.
static int read_option(struct reader* reader) {
  struct rff_command_line* line = reader->line;
  unsigned long long number = 0;
  const char* text;
  int wrong = 0;
  if (number_option(reader, "--runs", 1, 1000000000, &number, &wrong)) {
    line->run.runs = (unsigned long)number;
    reader->runs_given = 1;
  } else if (number_option(reader, "--seed", 0, UINT64_MAX, &number, &wrong)) {
    line->run.seed = number;
  } else if (number_option(reader, "--timeout", 0, 1000000, &number, &wrong)) {
    line->run.seconds = (int)number;
  } else if ((text = value_of(reader, "--replay", &wrong)) != NULL) {
    line->run.replay = text;
  } else if ((text = value_of(reader, "--property", &wrong)) != NULL) {
    line->property = text;
  } else if (strcmp(*reader->next, "--list-properties") == 0) {
    line->list = 1;
  } else if (strcmp(*reader->next, "--help") == 0 || strcmp(*reader->next, "-h") == 0) {
    line->help = 1;
  } else {
    fprintf(stderr, "%s: there is no option '%s' (see --help)\n", reader->program, *reader->next);
    wrong = 1;
  }
  return !wrong;
}

int rff_read_command_line(int argc, char** argv, struct rff_command_line* line) {
  *line = (struct rff_command_line){0};
  line->run.runs = 1000;
  line->run.seconds = 10;
  line->run.seed = rff_new_seed();
  line->run.command = argc > 0 ? argv[0] : "properties";
  struct reader reader = {line, line->run.command, argv + (argc > 0), 0};
  for (; *reader.next != NULL; reader.next++) {
    if (!read_option(&reader)) {
      return 0;
    }
  }
  if (line->run.replay != NULL && !reader.runs_given) {
    line->run.runs = 1;
  }
  return 1;
}
