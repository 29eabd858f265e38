// An echo server and its client on one libevent base, over TCP on the loopback device; a timer
// begins each round.
#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <string.h>

#include "result.h"

enum { ROUNDS = 3 };

static struct event_base* base;
static struct bufferevent* client;
static struct event* timer;
static int round_number;
static char echoed[256];

static void require(int condition, const char* what) {
  if (!condition) {
    fprintf(stderr, "libevent: %s failed\n", what);
    exit(1);
  }
}

static void echo(struct bufferevent* stream, void* unused) {
  (void)unused;
  require(bufferevent_write_buffer(stream, bufferevent_get_input(stream)) == 0, "write");
}

static void end_session(struct bufferevent* stream, short what, void* unused) {
  (void)unused;
  if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) bufferevent_free(stream);
}

static void accept_client(struct evconnlistener* listener, evutil_socket_t fd,
                          struct sockaddr* address, int size, void* unused) {
  (void)address;
  (void)size;
  (void)unused;
  struct bufferevent* session = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);
  bufferevent_setcb(session, echo, 0, end_session, 0);
  require(bufferevent_enable(session, EV_READ | EV_WRITE) == 0, "enable");
  evconnlistener_free(listener);
}

static void begin_round(evutil_socket_t fd, short what, void* unused) {
  char message[32];
  (void)fd;
  (void)what;
  (void)unused;
  int size = snprintf(message, sizeof message, "round %d;", round_number++);
  require(bufferevent_write(client, message, (size_t)size) == 0, "write");
}

static void wait_for_round(void) {
  struct timeval delay = {0, 5000};
  require(event_add(timer, &delay) == 0, "event_add");
}

static void take_echo(struct bufferevent* stream, void* unused) {
  char bytes[64];
  (void)unused;
  size_t size = bufferevent_read(stream, bytes, sizeof bytes);
  strncat(echoed, bytes, size);
  if (size == 0 || echoed[strlen(echoed) - 1] != ';') return;
  if (round_number < ROUNDS) {
    wait_for_round();
  } else {
    bufferevent_free(stream);
  }
}

static void client_event(struct bufferevent* stream, short what, void* unused) {
  (void)stream;
  (void)unused;
  if (what & BEV_EVENT_CONNECTED) wait_for_round();
  require(!(what & BEV_EVENT_ERROR), "connect");
}

int main(int argc, char** argv) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  base = event_base_new();
  struct evconnlistener* listener = evconnlistener_new_bind(
      base, accept_client, 0, LEV_OPT_CLOSE_ON_FREE, 4, (struct sockaddr*)&address, (int)size);
  require(listener != 0, "listen");
  require(getsockname(evconnlistener_get_fd(listener), (struct sockaddr*)&address, &size) == 0,
          "getsockname");
  timer = evtimer_new(base, begin_round, 0);
  client = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
  bufferevent_setcb(client, take_echo, 0, client_event, 0);
  require(bufferevent_enable(client, EV_READ | EV_WRITE) == 0, "enable");
  require(bufferevent_socket_connect(client, (struct sockaddr*)&address, (int)size) == 0,
          "connect");
  require(event_base_dispatch(base) >= 0, "dispatch");
  event_free(timer);
  event_base_free(base);
  tell_result(argc, argv, "%s", echoed);
  return 0;
}
