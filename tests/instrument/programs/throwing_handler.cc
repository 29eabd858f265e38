// A handler for SIGSEGV throws: the exception comes from an instruction that is no call. Caught in
// the function itself and above it, with clean-ups on the way, by type, by any type, and not at
// all.
#include <signal.h>

#include <cstdio>
#include <stdexcept>
#include <string>

static int destroyed;
static int* volatile nowhere = nullptr;

struct Guard {
  explicit Guard(int v) : value(v) {}
  ~Guard() { destroyed += value; }
  int value;
};

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Realigned: user-mode emulators enter handlers with any stack alignment.
__attribute__((force_align_arg_pointer)) static void OnFault(int) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGSEGV);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  throw Fault("fault");
}

__attribute__((noipa)) static int Read(int* where, int add) {
  Guard guard(add);
  int value = *where;
  return value + guard.value;
}

__attribute__((noipa)) static int CatchesItself(int* where) {
  int result = 1;
  try {
    result = *where;
    result += 10;
  } catch (const std::out_of_range&) {
    result = 100;
  } catch (const Fault& fault) {
    result = static_cast<int>(std::string(fault.what()).size());
  }
  return result;
}

__attribute__((noipa)) static int CatchesAnything(int* where) {
  Guard outer(1000);
  try {
    Guard inner(100);
    return Read(where, 10) + *where;
  } catch (const std::string&) {
    return 1;
  } catch (...) {
    return 2;
  }
}

// Two places that fault with different handlers, in one function.
__attribute__((noipa)) static int TwoPlaces(int* first, int* second) {
  int result = 0;
  try {
    result += *first;
  } catch (const Fault&) {
    result += 1;
  }
  try {
    result += *second;
  } catch (const std::runtime_error&) {
    result += 20;
  }
  return result;
}

__attribute__((noipa)) static int Passes(int* where) { return *where + 1; }

int main() {
  signal(SIGSEGV, OnFault);
  int here = 7;
  std::printf("%d %d\n", CatchesItself(&here), CatchesItself(nowhere));
  std::printf("%d %d\n", CatchesAnything(&here), CatchesAnything(nowhere));
  std::printf("%d %d %d\n", TwoPlaces(&here, nowhere), TwoPlaces(nowhere, &here),
              TwoPlaces(nowhere, nowhere));
  int caught = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      Guard guard(1);
      Passes(nowhere);
    } catch (const std::exception& e) {
      ++caught;
    }
  }
  std::printf("caught %d destroyed %d\n", caught, destroyed);
}
