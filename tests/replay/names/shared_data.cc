// Threads share data of every kind: members of a local object, blocks of the heap, elements of
// arrays. Fails in every schedule.
#include <cassert>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Node {
  int value;
  Node* next;
  long count[3];
};
struct Worker {
  int state;
  long jobs;
};
struct Queue {
  long unused;
  Node* head;
};
struct Logger {
  std::mutex lock_;
  std::condition_variable filled_;
  std::vector<int> lines_;
  bool quit_ = false;
};
struct Shape {
  virtual ~Shape() = default;
  long area = 0;
};
struct Circle : Shape {
  long radius[2] = {};
};

static int counters[4];
static Queue queue;
static Shape* shape;
static std::vector<int> numbers(10);
static std::shared_ptr<Worker> worker;
static std::list<Node> nodes;

static void work(Logger* log) {
  queue.head->count[1] = queue.head->count[1] + 1;
  queue.head->next->value++;
  worker->jobs++;
  numbers[3] = numbers[3] + 1;
  nodes.front().count[2]++;
  counters[2] = counters[2] + 1;
  shape->area++;
  static_cast<Circle*>(shape)->radius[1]++;
  log->quit_ = true;
}

int main() {
  queue.head = new Node{};
  queue.head->next = new Node{};
  shape = new Circle;
  worker = std::make_shared<Worker>();
  nodes.push_back({});
  Logger log;
  std::thread first(work, &log);
  std::thread second(work, &log);
  first.join();
  second.join();
  assert(!log.quit_);
}
