// Visits to boxes are counted: a request that comes over a pipe looks up the count of its box,
// pauses and then stores one more. The bug: two requests for one box look before either has stored,
// and a visit is lost. The client pauses between requests for longer than that takes if everything
// is handed out in the order in which it became ready. The right program looks again when it
// stores.
#include "loop.h"

enum { REQUESTS = 5, NAME = 5, PAUSES = 3 };

#ifdef INPUT
static const char* names[REQUESTS] = {"eevee", "ditto", "zubat", "golem", "absol"};
#else
static const char* names[REQUESTS] = {"eevee", "ditto", "ditto", "zubat", "eevee"};
#endif
static struct Box {
  char name[NAME];
  int visits;
} boxes[REQUESTS];
static int box_count, begun, ended;
static int requests_pipe[2];
static struct Source server_readable, client_paused;
static int client_sent, client_pauses;

static struct Request {
  char name[NAME];
  int found;
  struct Source paused;
} requests[REQUESTS];

static struct Box* box_of(const char* name) {
  for (int i = 0; i < box_count; i++) {
    if (memcmp(boxes[i].name, name, NAME) == 0) return &boxes[i];
  }
  memcpy(boxes[box_count].name, name, NAME);
  return &boxes[box_count++];
}

static void store(void* context) {
  struct Request* request = context;
#ifdef RIGHT
  request->found = box_of(request->name)->visits;
#endif
  box_of(request->name)->visits = request->found + 1;
  ended++;
}

static void begin_request(void* unused) {
  (void)unused;
  struct Request* request = &requests[begun];
  if (read(requests_pipe[0], request->name, NAME) != NAME) return;
  if (++begun == REQUESTS) loop_forget(&server_readable);
  request->found = box_of(request->name)->visits;
  loop_post(&request->paused, store, request);
}

static void run_client(void* unused) {
  if (client_pauses == 0) {
    loop_send(requests_pipe[1], names[client_sent++], NAME);
    client_pauses = PAUSES;
  } else {
    client_pauses--;
  }
  if (client_sent < REQUESTS) loop_post(&client_paused, run_client, unused);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc && i <= REQUESTS; i++) {
    if (strlen(argv[i]) == NAME) names[i - 1] = argv[i];
  }
  loop_begin();
  loop_check(pipe(requests_pipe), "pipe");
  loop_watch(&server_readable, requests_pipe[0], begin_request, 0);
  loop_post(&client_paused, run_client, 0);
  loop_run();
  assert(ended == REQUESTS);
  int visits = 0;
  for (int i = 0; i < box_count; i++) visits += boxes[i].visits;
  assert(visits == REQUESTS);
  return 0;
}
