// `ghost` on libuv: for each request the server asks the database over a stream of its own whether
// a tag is there, and has it inserted if not. The bug: a second request with the same name looks
// before the first one has inserted, and the tag is there twice. The client pauses between requests
// for longer than the server needs if everything is handed out in the order in which it became
// ready. In the right program the database refuses a second tag.
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <uv.h>

enum { REQUESTS = 5, NAME = 5, QUERY = 1 + NAME, PAUSES = 8 };

static const char* names[REQUESTS] = {"ghost", "story", "story", "draft", "ghost"};
static char tags[REQUESTS][NAME];
static int tag_count, begun, ended;

static uv_pipe_t client, server;
static uv_poll_t client_paused;
static int pause_descriptor, client_sent, client_pauses;

static struct Request {
  uv_pipe_t asking, answering;
  char query[QUERY];
  int received;  // bytes of a query, at the database
  char received_query[QUERY];
} requests[REQUESTS];

static char buffer[64];

static void lend_buffer(uv_handle_t* handle, size_t size, uv_buf_t* lent) {
  (void)handle;
  (void)size;
  *lent = uv_buf_init(buffer, sizeof buffer);
}

static void send_bytes(uv_pipe_t* to, const char* bytes, unsigned size) {
  uv_buf_t message = uv_buf_init((char*)bytes, size);
  assert(uv_try_write((uv_stream_t*)to, &message, 1) == (int)size);
}

static void connect_pipes(uv_pipe_t* a, uv_pipe_t* b) {
  uv_os_sock_t ends[2];
  assert(uv_socketpair(SOCK_STREAM, 0, ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE) == 0);
  assert(uv_pipe_init(uv_default_loop(), a, 0) == 0 && uv_pipe_open(a, ends[0]) == 0);
  assert(uv_pipe_init(uv_default_loop(), b, 0) == 0 && uv_pipe_open(b, ends[1]) == 0);
}

static int has_tag(const char* name) {
  for (int i = 0; i < tag_count; i++) {
    if (memcmp(tags[i], name, NAME) == 0) return 1;
  }
  return 0;
}

static void answer_query(uv_stream_t* stream, ssize_t size, const uv_buf_t* bytes) {
  struct Request* request = stream->data;
  if (size <= 0) return;
  assert(request->received + size <= QUERY);
  memcpy(request->received_query + request->received, bytes->base, (size_t)size);
  request->received += (int)size;
  if (request->received < QUERY) return;
  request->received = 0;
  const char* name = request->received_query + 1;
  const char* answer = "y";
  if (request->received_query[0] == '?') {
    answer = has_tag(name) ? "y" : "n";
#ifdef RIGHT
  } else if (has_tag(name)) {
    answer = "y";
#endif
  } else {
    memcpy(tags[tag_count++], name, NAME);
  }
  send_bytes(&request->answering, answer, 1);
}

static void take_answer(uv_stream_t* stream, ssize_t size, const uv_buf_t* bytes) {
  struct Request* request = stream->data;
  if (size <= 0) return;
  assert(size == 1);
  if (bytes->base[0] == 'n') {
    request->query[0] = '+';
    send_bytes(&request->asking, request->query, QUERY);
    return;
  }
  uv_close((uv_handle_t*)&request->asking, 0);
  uv_close((uv_handle_t*)&request->answering, 0);
  ended++;
}

static void begin_request(const char* name) {
  struct Request* request = &requests[begun++];
  request->query[0] = '?';
  memcpy(request->query + 1, name, NAME);
  connect_pipes(&request->asking, &request->answering);
  request->asking.data = request->answering.data = request;
  assert(uv_read_start((uv_stream_t*)&request->asking, lend_buffer, take_answer) == 0);
  assert(uv_read_start((uv_stream_t*)&request->answering, lend_buffer, answer_query) == 0);
  send_bytes(&request->asking, request->query, QUERY);
}

// A read may bring several names, each of them whole: the client writes a name at once.
static void take_requests(uv_stream_t* stream, ssize_t size, const uv_buf_t* bytes) {
  char received[sizeof buffer];
  if (size <= 0) return;
  assert(size % NAME == 0);
  memcpy(received, bytes->base, (size_t)size);
  for (ssize_t i = 0; i < size; i += NAME) begin_request(received + i);
  if (begun == REQUESTS) uv_close((uv_handle_t*)stream, 0);
}

static void run_client(uv_poll_t* handle, int status, int events) {
  uint64_t count = 1;
  (void)events;
  assert(status == 0 && read(pause_descriptor, &count, sizeof count) == sizeof count);
  if (client_pauses-- == 0) {
    send_bytes(&client, names[client_sent++], NAME);
    client_pauses = PAUSES;
  }
  if (client_sent < REQUESTS) {
    assert(write(pause_descriptor, &count, sizeof count) == sizeof count);
  } else {
    uv_close((uv_handle_t*)handle, 0);
    uv_close((uv_handle_t*)&client, 0);
  }
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  connect_pipes(&client, &server);
  assert(uv_read_start((uv_stream_t*)&server, lend_buffer, take_requests) == 0);
  pause_descriptor = eventfd(1, EFD_NONBLOCK);
  assert(uv_poll_init(loop, &client_paused, pause_descriptor) == 0);
  assert(uv_poll_start(&client_paused, UV_READABLE, run_client) == 0);
  assert(uv_run(loop, UV_RUN_DEFAULT) == 0);
  assert(uv_loop_close(loop) == 0);
  assert(ended == REQUESTS);
  for (int i = 0; i < tag_count; i++) {
    for (int j = 0; j < i; j++) assert(memcmp(tags[i], tags[j], NAME) != 0);
  }
  return 0;
}
