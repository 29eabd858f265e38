// Four paths are made with all their parents, side by side: for each folder of a path the loop
// looks whether it exists and creates it at a later turn if not. Looking and creating end at turns
// of their own, as in a pool of workers. The bug: two paths look for their common parent before
// either has made it, and the second creation is an error. Paths are begun some turns apart, so
// that the order in which events become ready is safe. To the right program an existing folder is
// what it wanted.
#include "loop.h"

enum { PATHS = 4, LENGTH = 16, FOLDERS = PATHS * LENGTH, PAUSES = 5 };

#ifdef INPUT
static const char* wanted[PATHS] = {"a", "b", "c", "d"};
#else
static const char* wanted[PATHS] = {"a/b", "a/c", "a/b/d", "e"};
#endif
static char folders[FOLDERS][LENGTH];
static int folder_count, begun, pauses, made;
static struct Source starter;

static struct Path {
  char name[LENGTH];
  size_t known;  // the part of the name that exists
  struct Source step;
} paths[PATHS];

static void look(void* context);

static int exists(const char* name) {
  for (int i = 0; i < folder_count; i++) {
    if (strcmp(folders[i], name) == 0) return 1;
  }
  return 0;
}

static void copy_prefix(const struct Path* path, char prefix[LENGTH]) {
  size_t end = path->known + (path->name[path->known] == '/');
  while (path->name[end] && path->name[end] != '/') end++;
  memcpy(prefix, path->name, end);
  prefix[end] = 0;
}

static void proceed(struct Path* path, const char* prefix) {
  path->known = strlen(prefix);
  if (path->name[path->known]) {
    loop_post(&path->step, look, path);
  } else {
    made++;
  }
}

static void create(void* context) {
  struct Path* path = context;
  char prefix[LENGTH];
  copy_prefix(path, prefix);
  int there = exists(prefix);
#ifndef RIGHT
  assert(!there && "mkdir: file exists");
#endif
  if (!there) strcpy(folders[folder_count++], prefix);
  proceed(path, prefix);
}

static void look(void* context) {
  struct Path* path = context;
  char prefix[LENGTH];
  copy_prefix(path, prefix);
  if (exists(prefix)) {
    proceed(path, prefix);
  } else {
    loop_post(&path->step, create, path);
  }
}

static void start(void* unused) {
  if (pauses == 0) {
    struct Path* path = &paths[begun];
    strcpy(path->name, wanted[begun++]);
    loop_post(&path->step, look, path);
    pauses = PAUSES;
  } else {
    pauses--;
  }
  if (begun < PATHS) loop_post(&starter, start, unused);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc && i <= PATHS; i++) {
    if (strlen(argv[i]) < LENGTH && argv[i][0]) wanted[i - 1] = argv[i];
  }
  loop_begin();
  loop_post(&starter, start, 0);
  loop_run();
  assert(made == PATHS);
  for (int i = 0; i < PATHS; i++) assert(exists(wanted[i]));
  return 0;
}
