// A client and a server over a connection of the program with itself. The bug: both wait for the
// other's greeting unless the client has learned in time that it comes first.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

static struct sockaddr_in address = {.sin_family = AF_INET};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int client_first;

static void* be_client(void* unused) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(fd, (struct sockaddr*)&address, sizeof address) == 0);
  pthread_mutex_lock(&lock);
  int first = client_first;
  pthread_mutex_unlock(&lock);
  char byte = 'c';
  if (first) assert(write(fd, &byte, 1) == 1);
  assert(read(fd, &byte, 1) == 1 && byte == 's');
  close(fd);
  return unused;
}

static void* decide(void* unused) {
  pthread_mutex_lock(&lock);
  client_first = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  assert(bind(listener, (struct sockaddr*)&address, size) == 0 && listen(listener, 1) == 0);
  assert(getsockname(listener, (struct sockaddr*)&address, &size) == 0);
  pthread_t threads[2] = {start(decide), start(be_client)};
  int fd = accept(listener, NULL, NULL);
  char byte = 0;
  assert(fd >= 0 && read(fd, &byte, 1) == 1 && byte == 'c');
  assert(write(fd, "s", 1) == 1);
  finish(threads[0]);
  finish(threads[1]);
  return 0;
}
