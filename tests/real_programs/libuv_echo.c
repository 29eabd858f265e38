// An echo server and its client on one libuv loop, over TCP on the loopback device; a timer begins
// each round.
#include <string.h>
#include <uv.h>

#include "result.h"

enum { ROUNDS = 3 };

static uv_tcp_t listener, accepted, client;
static uv_timer_t timer;
static uv_connect_t connecting;
static int round_number;
static char echoed[256], buffer[64];

static void check(int status) {
  if (status < 0) {
    fprintf(stderr, "libuv: %s\n", uv_strerror(status));
    exit(1);
  }
}

static void lend_buffer(uv_handle_t* handle, size_t size, uv_buf_t* lent) {
  (void)handle;
  (void)size;
  *lent = uv_buf_init(buffer, sizeof buffer);
}

static void written(uv_write_t* request, int status) {
  check(status);
  free(request);
}

// The message lies behind the request, until it is written.
static void send_bytes(uv_stream_t* stream, const char* bytes, size_t size) {
  uv_write_t* request = malloc(sizeof *request + size);
  uv_buf_t message = uv_buf_init((char*)(request + 1), (unsigned)size);
  memcpy(message.base, bytes, size);
  check(uv_write(request, stream, &message, 1, written));
}

static void echo(uv_stream_t* stream, ssize_t size, const uv_buf_t* bytes) {
  if (size > 0) {
    send_bytes(stream, bytes->base, (size_t)size);
  } else if (size < 0) {
    uv_close((uv_handle_t*)stream, 0);
  }
}

static void accept_client(uv_stream_t* stream, int status) {
  check(status);
  check(uv_tcp_init(stream->loop, &accepted));
  check(uv_accept(stream, (uv_stream_t*)&accepted));
  check(uv_read_start((uv_stream_t*)&accepted, lend_buffer, echo));
  uv_close((uv_handle_t*)stream, 0);
}

static void begin_round(uv_timer_t* handle) {
  char message[32];
  (void)handle;
  int size = snprintf(message, sizeof message, "round %d;", round_number++);
  send_bytes((uv_stream_t*)&client, message, (size_t)size);
}

static void take_echo(uv_stream_t* stream, ssize_t size, const uv_buf_t* bytes) {
  if (size <= 0) return;
  strncat(echoed, bytes->base, (size_t)size);
  if (echoed[strlen(echoed) - 1] != ';') return;
  if (round_number < ROUNDS) {
    check(uv_timer_start(&timer, begin_round, 5, 0));
  } else {
    uv_close((uv_handle_t*)stream, 0);
    uv_close((uv_handle_t*)&timer, 0);
  }
}

static void connected(uv_connect_t* request, int status) {
  check(status);
  check(uv_read_start(request->handle, lend_buffer, take_echo));
  check(uv_timer_start(&timer, begin_round, 5, 0));
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  struct sockaddr_storage address;
  int size = sizeof address;
  check(uv_tcp_init(loop, &listener));
  check(uv_tcp_init(loop, &client));
  check(uv_timer_init(loop, &timer));
  check(uv_ip4_addr("127.0.0.1", 0, (struct sockaddr_in*)&address));
  check(uv_tcp_bind(&listener, (struct sockaddr*)&address, 0));
  check(uv_listen((uv_stream_t*)&listener, 4, accept_client));
  check(uv_tcp_getsockname(&listener, (struct sockaddr*)&address, &size));
  check(uv_tcp_connect(&connecting, &client, (struct sockaddr*)&address, connected));
  check(uv_run(loop, UV_RUN_DEFAULT));
  check(uv_loop_close(loop));
  tell_result(argc, argv, "%s", echoed);
  return 0;
}
