// A blog makes a tag for each request. The server asks the database, over a connection of its own
// for each request, whether the tag is there, and has it inserted if the answer is no. The bug: a
// second request with the same name looks before the first one has inserted, and the tag is there
// twice. The client pauses between requests for longer than the server needs if everything is
// handed out in the order in which it became ready. In the right program the database refuses a
// second tag.
#include "loop.h"

enum { REQUESTS = 5, NAME = 5, PAUSES = 6 };

#ifdef INPUT
static const char* names[REQUESTS] = {"ghost", "story", "draft", "novel", "essay"};
#else
static const char* names[REQUESTS] = {"ghost", "story", "story", "draft", "ghost"};
#endif
static char tags[REQUESTS][NAME];
static int tag_count, begun, ended;

static int client[2];
static struct Source server_readable, client_paused;
static int client_sent, client_pauses;

static struct Request {
  char message[1 + NAME];  // '?' or '+', and the name
  int connection[2];       // the server's end, the database's end
  struct Source answer, query;
} requests[REQUESTS];

static int has_tag(const char* name) {
  for (int i = 0; i < tag_count; i++) {
    if (memcmp(tags[i], name, NAME) == 0) return 1;
  }
  return 0;
}

static void answer_query(void* context) {
  struct Request* request = context;
  char message[1 + NAME];
  if (read(request->connection[1], message, sizeof message) != sizeof message) return;
  const char* answer = "y";
  if (message[0] == '?') {
    answer = has_tag(message + 1) ? "y" : "n";
#ifdef RIGHT
  } else if (has_tag(message + 1)) {
    answer = "y";
#endif
  } else {
    memcpy(tags[tag_count++], message + 1, NAME);
  }
  loop_send(request->connection[1], answer, 1);
}

static void take_answer(void* context) {
  struct Request* request = context;
  char answer;
  if (read(request->connection[0], &answer, 1) != 1) return;
  if (answer == 'n') {
    request->message[0] = '+';
    loop_send(request->connection[0], request->message, sizeof request->message);
    return;
  }
  loop_forget(&request->answer);
  loop_forget(&request->query);
  ended++;
}

static void begin_request(void* unused) {
  (void)unused;
  struct Request* request = &requests[begun];
  if (read(client[1], request->message + 1, NAME) != NAME) return;
  if (++begun == REQUESTS) loop_forget(&server_readable);
  request->message[0] = '?';
  loop_connect(request->connection);
  loop_watch(&request->answer, request->connection[0], take_answer, request);
  loop_watch(&request->query, request->connection[1], answer_query, request);
  loop_send(request->connection[0], request->message, sizeof request->message);
}

static void run_client(void* unused) {
  if (client_pauses == 0) {
    loop_send(client[0], names[client_sent++], NAME);
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
  loop_connect(client);
  loop_watch(&server_readable, client[1], begin_request, 0);
  loop_post(&client_paused, run_client, 0);
  loop_run();
  assert(ended == REQUESTS);
  for (int i = 0; i < tag_count; i++) {
    for (int j = 0; j < i; j++) assert(memcmp(tags[i], tags[j], NAME) != 0);
  }
  return 0;
}
