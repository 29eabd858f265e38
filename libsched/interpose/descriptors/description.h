// Open file descriptions of the program: what its descriptors stand for, and whether all ends of it
// are in the program.
//
// The kernel keeps the bytes and says what is ready. Where all ends are in the program that is a
// function of what its threads have done, so such a wait counts like any other: it can be part of a
// deadlock, and its order is the schedule's. Everything else is outside (files/outside.h).
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/interpose/descriptors/byte_stream.h"
#include "libsched/interpose/descriptors/socket_addresses.h"
#include "libsched/interpose/interpose.h"

namespace rff {

class Epoll;
class TimerDescriptor;

// One direction of a pipe or socket, or a counter: what goes in at one end comes out at the other.
struct Channel {
  Location place;
  ByteStream bytes;
  ByteStream::Writer last = {};  // the last operation on it

  // Lets the operation that reads next find who wrote what it gets.
  void show_writer() const;
};

struct Description {
  bool internal = false;  // all ends are in the program
  bool of_run = false;    // made since the run has begun
  bool shared = false;    // another process has it, too
  int number = -1;        // one of its descriptors
  std::uint32_t descriptors = 0;
  Channel* in = nullptr;   // null: nothing can be read
  Channel* out = nullptr;  // null: nothing can be written
  Location place;
  Epoll* epoll = nullptr;
  TimerDescriptor* timer = nullptr;
  std::uint64_t signals = 0;  // that are read from it, as in signals::Set
  bool socket = false;
  bool listens = false;
  SocketAddress address;              // of a socket that listens, or has connected
  Description* peer = nullptr;        // the other end of a connection; null if that is gone
  std::vector<Description*> clients;  // of one that listens: connected, not yet accepted
};

namespace descriptions {

// Returns null for descriptors whose making the runtime has not seen.
Description* find(int fd);
// Adds a description of a file that the program has opened.
void opened(int fd);
// Returns the description of an open descriptor, whose making may not have been seen.
Description& known(int fd);
// Gives the run a description of its own of a file that was opened before it: what is locked
// through one that processes share would outlive the run. Returns false if that is not possible.
bool make_own(int fd);
// Adds a description for a new descriptor, made by the call that returns to `caller`.
Description& made(int fd, const void* caller);
void closed(int fd);
void closed(unsigned first, unsigned last);
void duplicated(int fd, int other);
// Returns a socket of the program that listens where `to` leads; null if there is none.
Description* find_listener(const SocketAddress& to);
// Another process gets all descriptors, or one: it may act on what they stand for.
void shared_with_others();
void shared_with_others(int fd);
// The kernel is to send signals when a descriptor is ready.
void others_may_signal();

Channel& new_channel(const void* caller, ByteStream::Kind kind = ByteStream::Kind::kUnknown);
// What sockets of this type transport.
ByteStream::Kind socket_stream(int type);
// Returns the name of the next object that this call makes.
Location next_place(const void* caller);

// Whether nobody but the program can make this descriptor ready. A program that handles signals
// from outside may have a handler that does, or reads them from a descriptor.
bool internal(int fd);
bool awaits_signals();
// Whether what calls do to it ends with the run: the witness of runs in place need not see them.
bool ends_with_run(int fd);

// For a descriptor that is internal: performs a receive or send as a step, after waiting until
// the kernel would not block if `waits`. Returns false if a signal interrupted the wait. `bytes`:
// as many are wanted.
bool receive(int fd, bool waits, std::size_t bytes, const void* caller, Interruption on_signal);
bool send(int fd, bool waits, const void* caller, Interruption on_signal);
// Call after a receive with what the kernel returned; `peeked`: the bytes are still there.
void received(int fd, std::size_t wanted, ssize_t got, bool peeked = false);
// Bytes come or go in a way that the runtime does not follow.
void lose_track(int fd);
// The program is about to send a signal: a step for each descriptor from which it is read.
void will_signal(int signal, const void* caller);
// Make one before bytes are sent on `fd`, and call `sent` afterwards with what the kernel returned.
// The kernel's network may take a moment to bring them to the other end of a connection.
class Delivery {
 public:
  explicit Delivery(int fd);
  ssize_t sent(ssize_t bytes) const;

 private:
  int fd_;
  int peer_ = -1;  // -1: there is nothing to wait for
  int before_ = 0;
};
// The other ends will see that this one is closed, or shut down.
void will_close(int fd, const void* caller);

}  // namespace descriptions
}  // namespace rff
