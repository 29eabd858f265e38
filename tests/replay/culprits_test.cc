// Tests, for each kind of bug, that the report names the line which the fix changes, and explains
// the bug as a person would.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "fuzzer/common/files.h"
#include "tests/replay/replay_fixture.h"

namespace rff::test {
namespace {

namespace fs = std::filesystem;

struct Culprit {
  const char* kind;      // kind of bug
  const char* program;   // in tests/fail, or in kSources
  const char* line;      // part of the line that the fix changes; the first such line
  const char* sentence;  // in the headline, the causes or the story; * stands for anything
  SchedulerKind found_by = SchedulerKind::kPos;
};

struct Source {
  const char* name;
  const char* text;
};

// Programs that tests/fail does not have. Each has one bug.
constexpr Source kSources[] = {
    {"logger.c", R"(
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int lines, quit;
static void *write_lines(void *unused) {
  pthread_mutex_lock(&m);
  for (;;) {
    while (!lines && !quit) pthread_cond_wait(&c, &m);
    if (quit) break;
    lines = 0;
  }
  pthread_mutex_unlock(&m);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, write_lines, 0);
  pthread_mutex_lock(&m);
  lines = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  quit = 1;  /* without the lock */
  pthread_cond_signal(&c);
  pthread_join(t, 0);
}
)"},
    {"registry.cc", R"(
#include <mutex>
#include <thread>
#include <vector>
struct Session { int id, hits; };
struct Registry {
  std::mutex mutex;
  std::vector<Session*> sessions = {new Session{0, 0}, new Session{1, 0}};
  Session* find() {
    std::lock_guard lock(mutex);
    return sessions.empty() ? nullptr : sessions.back();
  }
  void remove() {
    std::lock_guard lock(mutex);
    delete sessions.back();
    sessions.pop_back();
  }
};
int main() {
  Registry registry;
  std::thread user([&] {
    for (int i = 0; i < 3; ++i) {
      Session* s = registry.find();
      s->hits++;  // nobody keeps it alive
    }
  });
  std::thread remover([&] { registry.remove(); });
  user.join();
  remover.join();
}
)"},
    {"philosophers.c", R"(
#include <pthread.h>
static pthread_mutex_t fork_[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *dine(void *arg) {
  long i = (long)arg;
  pthread_mutex_lock(&fork_[i]);
  pthread_mutex_lock(&fork_[(i + 1) % 3]);  /* the order goes round */
  pthread_mutex_unlock(&fork_[(i + 1) % 3]);
  pthread_mutex_unlock(&fork_[i]);
  return 0;
}
int main(void) {
  pthread_t t[3];
  for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, dine, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
)"},
    {"ticket.c", R"(
#include <assert.h>
#include <pthread.h>
static int ticket = 5;
static volatile int taken[2];
static void *draw(void *arg) {
  int mine = __atomic_fetch_add(&ticket, 5, __ATOMIC_SEQ_CST);
  taken[(long)arg] = mine;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, draw, (void *)0);
  pthread_create(&b, 0, draw, (void *)1);
  pthread_join(a, 0);
  assert(__atomic_exchange_n(&ticket, 0, __ATOMIC_SEQ_CST) == 15);  /* before the second join */
  pthread_join(b, 0);
}
)"},
    {"queue.c", R"(
#include <assert.h>
#include <pthread.h>
static volatile int slot[2], head, tail;
static void *put(void *unused) {
  for (int i = 1; i <= 3; i++) {
    slot[tail % 2] = i;  /* is there room? */
    tail = tail + 1;
  }
  return unused;
}
static void *get(void *unused) {
  for (int i = 1; i <= 3; i++) {
    while (head == tail) {}
    assert(slot[head % 2] == i);
    head = head + 1;
  }
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, put, 0);
  pthread_create(&b, 0, get, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
)"},
    {"shutdown.c", R"(
#include <pthread.h>
#include <stdlib.h>
static int *volatile settings;
static void *serve(void *unused) {
  for (int i = 0; i < 2; i++) *(volatile int *)settings = i;
  return unused;
}
int main(void) {
  pthread_t t;
  settings = malloc(4);
  pthread_create(&t, 0, serve, 0);
  settings = 0;  /* before the thread has ended */
  pthread_join(t, 0);
}
)"},
    {"aba.c", R"(
#include <assert.h>
#include <pthread.h>
static int next_of[4] = {0, 2, 3, 0};
static int head = 1;
static volatile int taken[4];
static int pop(void) {
  for (;;) {
    int first = __atomic_load_n(&head, __ATOMIC_SEQ_CST);
    int second = __atomic_load_n(&next_of[first], __ATOMIC_SEQ_CST);
    if (__atomic_compare_exchange_n(&head, &first, second, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))  /* is it still that list? */
      return first;
  }
}
static void push(int node) {
  next_of[node] = __atomic_load_n(&head, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(&head, &next_of[node], node, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
}
static void take(void) {
  int node = pop();
  assert(!node || !taken[node]);
  taken[node] = 1;
}
static void *take_one(void *unused) {
  take();
  return unused;
}
static void *take_the_second(void *unused) {
  int first = pop();
  take();
  push(first);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, take_one, 0);
  pthread_create(&b, 0, take_the_second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  take();
}
)"},
    {"transfer.c", R"(
#include <pthread.h>
#include <stdlib.h>
struct account {
  long id;
  pthread_mutex_t lock;
  long balance;
};
static struct account *accounts[2];
static void transfer(struct account *from, struct account *to) {
  pthread_mutex_lock(&from->lock);
  pthread_mutex_lock(&to->lock);  /* whichever address is lower */
  from->balance--;
  to->balance++;
  pthread_mutex_unlock(&to->lock);
  pthread_mutex_unlock(&from->lock);
}
static void *there(void *unused) {
  transfer(accounts[0], accounts[1]);
  return unused;
}
static void *back(void *unused) {
  transfer(accounts[1], accounts[0]);
  return unused;
}
int main(void) {
  pthread_t a, b;
  for (int i = 0; i < 2; i++) {
    accounts[i] = calloc(1, sizeof(struct account));
    pthread_mutex_init(&accounts[i]->lock, 0);
  }
  pthread_create(&a, 0, there, 0);
  pthread_create(&b, 0, back, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
)"},
    {"exits.c", R"(
#include <pthread.h>
#include <stdlib.h>
static int *volatile table;
static void clean_up(void) { table = 0; }
static void *serve(void *unused) {
  *(volatile int *)table = 1;
  return unused;
}
int main(void) {
  pthread_t t;
  table = malloc(4);
  atexit(clean_up);
  pthread_create(&t, 0, serve, 0);
  exit(0);  /* without the thread's end */
}
)"},
};

constexpr Culprit kCulprits[] = {
#include "tests/replay/culprits.inc"
};

// Returns whether `text` contains the parts of `pattern` one after the other.
bool has(const std::string& text, std::string pattern) {
  std::size_t at = 0;
  for (;;) {
    std::size_t star = pattern.find('*');
    std::string part = pattern.substr(0, star);
    at = text.find(part, at);
    if (at == std::string::npos) {
      return false;
    }
    at += part.size();
    if (star == std::string::npos) {
      return true;
    }
    pattern = pattern.substr(star + 1);
  }
}

class CulpritTest : public ReplayTest, public testing::WithParamInterface<Culprit> {
 protected:
  // Returns the built program. `source`: the path of its source.
  std::string built(const std::string& name, std::string* source) {
    for (const Source& s : kSources) {
      if (s.name == name) {
        *source = path(name);
        write(name, s.text);
        std::string out = path(fs::path(name).stem());
        Output o =
            run_command({RFF_CC, "-O1", "-g", "-pthread", "-w", "-o", out, *source, "-lstdc++"});
        EXPECT_EQ(o.exit_status, 0) << o.err;
        return out;
      }
    }
    *source = std::string(RFF_FAULTY_PROGRAMS) + "/" + name;
    return "test-programs/fail/" + fs::path(name).replace_extension().string();
  }
};

TEST_P(CulpritTest, IsNamed) {
  const Culprit& culprit = GetParam();
  std::string source;
  std::string schedule = finding(built(culprit.program, &source), culprit.found_by);
  replay({"--minimize", "--quick", "--max-runs", "60", "-o", path("small.bin"), schedule});
  std::string text = replay({"--quick", path("small.bin")}).out;
  std::ifstream in(source);
  int number = 1;
  std::string line;
  while (std::getline(in, line) && line.find(culprit.line) == std::string::npos) {
    ++number;
  }
  ASSERT_TRUE(in) << culprit.line;
  std::string story = text.substr(0, text.find("\nWhere the threads are:"));
  EXPECT_NE(story.find(fs::path(source).filename().string() + ":" + std::to_string(number)),
            std::string::npos)
      << "line " << number << " is not in\n"
      << text;
  EXPECT_TRUE(has(story, culprit.sentence)) << culprit.sentence << " is not in\n" << text;
}

INSTANTIATE_TEST_SUITE_P(Bugs, CulpritTest, testing::ValuesIn(kCulprits),
                         [](const auto& bug) { return std::string(bug.param.kind); });

}  // namespace
}  // namespace rff::test
