// `ghost` on libevent: for each request the server asks the database over a stream of its own
// whether a tag is there, and has it inserted if not. The bug: a second request with the same name
// looks before the first one has inserted, and the tag is there twice. The client pauses between
// requests for longer than the server needs if everything is handed out in the order in which it
// became ready. In the right program the database refuses a second tag.
#include <assert.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUESTS = 5, NAME = 5, QUERY = 1 + NAME, PAUSES = 12 };

static const char* names[REQUESTS] = {"ghost", "story", "story", "draft", "ghost"};
static char tags[REQUESTS][NAME];
static int tag_count, begun, ended;

static struct event_base* base;
static struct bufferevent *client, *server;
static struct event* client_paused;
static int client_sent, client_pauses;

static struct Request {
  struct bufferevent *asking, *answering;
  char query[QUERY];
} requests[REQUESTS];

static struct bufferevent* stream_of(int descriptor) {
  assert(evutil_make_socket_nonblocking(descriptor) == 0);
  struct bufferevent* stream = bufferevent_socket_new(base, descriptor, BEV_OPT_CLOSE_ON_FREE);
  assert(stream);
  return stream;
}

static void connect_streams(struct bufferevent** a, struct bufferevent** b) {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  *a = stream_of(ends[0]);
  *b = stream_of(ends[1]);
}

static void listen_to(struct bufferevent* stream, bufferevent_data_cb callback, void* context) {
  bufferevent_setcb(stream, callback, 0, 0, context);
  assert(bufferevent_enable(stream, EV_READ | EV_WRITE) == 0);
}

static int has_tag(const char* name) {
  for (int i = 0; i < tag_count; i++) {
    if (memcmp(tags[i], name, NAME) == 0) return 1;
  }
  return 0;
}

static void answer_query(struct bufferevent* stream, void* context) {
  char query[QUERY];
  const char *name = query + 1, *answer = "y";
  (void)context;
  if (evbuffer_get_length(bufferevent_get_input(stream)) < QUERY) return;
  assert(bufferevent_read(stream, query, QUERY) == QUERY);
  if (query[0] == '?') {
    answer = has_tag(name) ? "y" : "n";
#ifdef RIGHT
  } else if (has_tag(name)) {
    answer = "y";
#endif
  } else {
    memcpy(tags[tag_count++], name, NAME);
  }
  assert(bufferevent_write(stream, answer, 1) == 0);
}

static void take_answer(struct bufferevent* stream, void* context) {
  struct Request* request = context;
  char answer;
  if (bufferevent_read(stream, &answer, 1) != 1) return;
  if (answer == 'n') {
    request->query[0] = '+';
    assert(bufferevent_write(stream, request->query, QUERY) == 0);
    return;
  }
  bufferevent_free(request->asking);
  bufferevent_free(request->answering);
  ended++;
}

static void begin_request(const char* name) {
  struct Request* request = &requests[begun++];
  request->query[0] = '?';
  memcpy(request->query + 1, name, NAME);
  connect_streams(&request->asking, &request->answering);
  listen_to(request->asking, take_answer, request);
  listen_to(request->answering, answer_query, request);
  assert(bufferevent_write(request->asking, request->query, QUERY) == 0);
}

static void take_requests(struct bufferevent* stream, void* unused) {
  char name[NAME];
  (void)unused;
  while (evbuffer_get_length(bufferevent_get_input(stream)) >= NAME) {
    assert(bufferevent_read(stream, name, NAME) == NAME);
    begin_request(name);
  }
  if (begun == REQUESTS) {
    bufferevent_free(client);
    bufferevent_free(server);
  }
}

static void run_client(evutil_socket_t descriptor, short what, void* unused) {
  uint64_t count = 1;
  (void)what;
  (void)unused;
  assert(read(descriptor, &count, sizeof count) == sizeof count);
  if (client_pauses-- == 0) {
    assert(bufferevent_write(client, names[client_sent++], NAME) == 0);
    client_pauses = PAUSES;
  }
  if (client_sent < REQUESTS) {
    assert(write(descriptor, &count, sizeof count) == sizeof count);
  } else {
    assert(event_del(client_paused) == 0);
  }
}

int main(void) {
  base = event_base_new();
  assert(base);
  connect_streams(&client, &server);
  assert(bufferevent_enable(client, EV_WRITE) == 0);
  listen_to(server, take_requests, 0);
  client_paused = event_new(base, eventfd(1, EFD_NONBLOCK), EV_READ | EV_PERSIST, run_client, 0);
  assert(client_paused && event_add(client_paused, 0) == 0);
  assert(event_base_dispatch(base) == 1);  // nothing is left to wait for
  event_free(client_paused);
  event_base_free(base);
  assert(ended == REQUESTS);
  for (int i = 0; i < tag_count; i++) {
    for (int j = 0; j < i; j++) assert(memcmp(tags[i], tags[j], NAME) != 0);
  }
  return 0;
}
