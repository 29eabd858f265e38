// Two requests of a proxy share one authentication: the first one asks for a token, both are put on
// the list of those to be served when it comes, each a while after it arrived (10 and 12 ms, 28 and
// 29); the token is sent at 30. The bug: the second request arrives before the token and is put on
// the list after it: nobody serves it. The timer of 29 ms must be handed out after that of 30 and
// the message with the token. The right program looks for the token before it waits.
#include "loop.h"

enum { REQUESTS = 2, ANSWER_AT = 30 };

static struct Request {
  int arrives_at, listed_at, arrived, early, served;
  struct Source arrive, list;
} requests[REQUESTS] = {{10, 12, 0, 0, 0, {0}, {0}}, {28, 29, 0, 0, 0, {0}, {0}}};
static struct Request* waiting[REQUESTS];
static int waiting_count, has_token, authenticating;
static int connection[2];  // the proxy's end, the authority's end
static struct Source token_readable, question_readable, answer_timer;

static void serve(struct Request* request) { request->served++; }

static void take_token(void* unused) {
  char token;
  (void)unused;
  if (read(connection[0], &token, 1) != 1) return;
  loop_forget(&token_readable);
  has_token = 1;
  authenticating = 0;
  for (int i = 0; i < waiting_count; i++) serve(waiting[i]);
  waiting_count = 0;
}

static void send_token(void* unused) {
  (void)unused;
  loop_send(connection[1], "t", 1);
}

static void take_question(void* unused) {
  char question;
  if (read(connection[1], &question, 1) != 1) return;
  loop_forget(&question_readable);
  loop_at(&answer_timer, ANSWER_AT, send_token, unused);
}

static void put_on_list(struct Request* request) {
#ifdef RIGHT
  if (has_token) {
    serve(request);
    return;
  }
#endif
  waiting[waiting_count++] = request;
}

static void list_timer(void* context) {
  struct Request* request = context;
  if (!request->arrived) {
    request->early = 1;
  } else if (!request->served) {
    put_on_list(request);
  }
}

static void arrive(void* context) {
  struct Request* request = context;
  request->arrived = 1;
  if (has_token) {
    serve(request);
    return;
  }
  if (!authenticating) {
    authenticating = 1;
    loop_send(connection[0], "?", 1);
  }
  if (request->early) put_on_list(request);
}

int main(int argc, char** argv) {
#ifdef INPUT
  requests[1].arrives_at = 90;
#endif
  for (int i = 1; i < argc && i <= REQUESTS; i++) {
    if (argv[i][0] && atoi(argv[i]) >= 0 && atoi(argv[i]) < 100)
      requests[i - 1].arrives_at = atoi(argv[i]);
  }
#ifdef INPUT
  for (int i = 0; i < REQUESTS; i++) requests[i].listed_at = requests[i].arrives_at + 2 - i;
#endif
  loop_begin();
  loop_connect(connection);
  loop_watch(&token_readable, connection[0], take_token, 0);
  loop_watch(&question_readable, connection[1], take_question, 0);
  for (int i = 0; i < REQUESTS; i++) {
    loop_at(&requests[i].arrive, requests[i].arrives_at, arrive, &requests[i]);
    loop_at(&requests[i].list, requests[i].listed_at, list_timer, &requests[i]);
  }
  loop_run();
  for (int i = 0; i < REQUESTS; i++) assert(requests[i].served == 1);
  return 0;
}
