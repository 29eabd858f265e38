// The properties of the program, registered by constructors before main.
#include "property/registry.h"

#include <string.h>

#include "rff/test_framework.h"

static struct rff_property_entry* first;
static struct rff_property_entry** end = &first;
static void (*on_added)(const struct rff_property_entry*);

void rff_register(struct rff_property_entry* entry) {
  entry->next = NULL;
  *end = entry;
  end = &entry->next;
  if (on_added != NULL) {
    on_added(entry);
  }
}

const struct rff_property_entry* rff_first_property(void) { return first; }

const struct rff_property_entry* rff_find_property(const char* name) {
  const struct rff_property_entry* entry = first;
  while (entry != NULL && strcmp(entry->name, name) != 0) {
    entry = entry->next;
  }
  return entry;
}

void rff_on_every_property(void (*added)(const struct rff_property_entry*)) {
  if (on_added != NULL) {
    return;
  }
  on_added = added;
  for (const struct rff_property_entry* e = first; e != NULL; e = e->next) {
    added(e);
  }
}
