/* The functions of the property library, for C and C++: values of the current run, decisions, and
 * what the macros of rff/property.h call. */
#ifndef RFF_DRAWS_H
#define RFF_DRAWS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Draws from the input of the current run, for the thread that runs the property. Outside a
 * property every draw gives the simplest value. */
int rff_bool(void);
/* A number from lo to hi, both included; lo must not be above hi. The simplest is the one that is
 * nearest to zero. */
int rff_int(int lo, int hi);
long rff_long(void);
/* Any double, also infinities and NaN; whole numbers are the simplest. */
double rff_double(void);
/* Fills at most `most` bytes and returns how many. */
size_t rff_bytes(void* buffer, size_t most);
/* Fills at most `most` bytes, the final zero included, and returns the length of the string. */
size_t rff_string(char* buffer, size_t most);
/* A number below n; n must be at least 1. */
unsigned rff_pick(unsigned n);

/* Decisions of a program's own event loop, recorded and varied by the runtime. Without it they
 * are 0, no change, and nothing. Any thread may call them. */
unsigned rff_choose(unsigned n);
void rff_shuffle(void* array, size_t n, size_t size);
void rff_turn(const char* name);

/* The macros call these. */
__attribute__((noreturn)) void rff_failed(const char* message, const char* file, int line);
__attribute__((noreturn)) void rff_discard(void);
/* Marks the run as discarded. Nonzero if the caller must then leave the body by an exception. */
int rff_discards_by_exception(void);
/* Replaces the text of the values of the current run. */
void rff_values(const char* text);

struct rff_property_entry {
  const char* name;
  const char* file;
  int line;
  int throws; /* nonzero: the body is C++ and may be left by exceptions only */
  void (*run)(void* context);
  void* context;
  struct rff_property_entry* next; /* set by rff_register */
};

/* Adds a property to the program. The entry must live as long as the process. */
void rff_register(struct rff_property_entry* entry);
/* The properties in the order in which they were registered. */
const struct rff_property_entry* rff_first_property(void);

/* Does what the main function of the library does, for programs with a main function of their own. */
int rff_main(int argc, char** argv);

/* Where values come from: bytes and a position in them. */
struct rff_source {
  const unsigned char* data;
  size_t size;
  size_t position;
};
struct rff_source* rff_current_source(void);
/* `width` bytes, at most 8, as a little-endian number. */
uint64_t rff_source_number(struct rff_source* source, unsigned width);
/* The same as a signed number: the top bit is the sign and inverts the others. */
int64_t rff_source_signed(struct rff_source* source, unsigned width);
uint64_t rff_source_unsigned_range(struct rff_source* source, uint64_t lo, uint64_t hi);
int64_t rff_source_signed_range(struct rff_source* source, int64_t lo, int64_t hi);
double rff_source_double(struct rff_source* source);
size_t rff_source_bytes(struct rff_source* source, void* buffer, size_t most);
size_t rff_source_string(struct rff_source* source, char* buffer, size_t most);

#ifdef __cplusplus
}
#endif

#endif
