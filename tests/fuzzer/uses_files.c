// Uses names that all its runs share: a message queue, a semaphore, a temporary folder, a file, an
// address.
// With an argument it counts without a lock, fails, and leaves all of that behind.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "program.h"

static char folder[] = "folder-XXXXXX";
static const char* fixed = "fixed";
static char own[100];  // a name of this folder
static int count;
static int careless;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* body(void* name) {
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, (const char*)name);
  FILE* file = fopen(path, "w");
  assert(file != NULL);
  fclose(file);
  if (careless) {
    int now = count;
    count = now + 1;
  } else {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    assert(unlink(path) == 0);
  }
  return NULL;
}

// What a run before has left is removed first.
static void make_named(void) {
  char here[200] = "";
  assert(getcwd(here, sizeof here) != NULL);
  snprintf(own, sizeof own, "/%s", strrchr(here, '/') + 1);
  mq_unlink(own);
  sem_unlink(own);
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 1};
  mqd_t queue = mq_open(own, O_CREAT | O_RDWR, 0600, &attributes);
  sem_t* semaphore = sem_open(own, O_CREAT, 0600, 1);
  assert(semaphore != SEM_FAILED && sem_post(semaphore) == 0);
  assert(queue < 0 || mq_send(queue, "", 1, 0) == 0);  // not every kernel has queues
}

int main(int argc, char** argv) {
  careless = argc > 1;
  make_named();
  FILE* file = fopen(fixed, "w");
  assert(file != NULL && fputs("written before any thread", file) > 0);
  fclose(file);
  assert(mkdtemp(folder) != NULL);
  static volatile int letters;  // the name is part of the run
  for (const char* c = folder; *c != 0; c++) letters = letters * 31 + *c;
  pthread_t a = start_with(body, "a"), b = start_with(body, "b");
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  assert(getcwd(address.sun_path + 1, sizeof address.sun_path - 1) != NULL);
  assert(bind(listener, (struct sockaddr*)&address, sizeof address) == 0);
  finish(a);
  finish(b);
  sem_t* again = sem_open(own, 0);
  int value = 0;
  assert(again != SEM_FAILED && sem_getvalue(again, &value) == 0 && value == 2);
  mqd_t queue = mq_open(own, O_RDONLY);
  struct mq_attr attributes;
  assert(queue < 0 || (mq_getattr(queue, &attributes) == 0 && attributes.mq_curmsgs == 1));
  assert(sem_unlink(own) == 0 && (queue < 0 || mq_unlink(own) == 0));
  assert(count == 2);
  if (careless) return 0;
  char text[100] = "";
  file = fopen(fixed, "r");
  assert(file != NULL && fgets(text, sizeof text, file) != NULL);
  fclose(file);
  assert(strcmp(text, "written before any thread") == 0);
  assert(unlink(fixed) == 0 && rmdir(folder) == 0);
  return argv == NULL;
}
