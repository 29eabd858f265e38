// Bugs behind functions of the C++ library: behind_the_library KIND NUMBER fails in every schedule.
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define NOT_INLINED __attribute__((noinline))

struct Account {
  std::mutex lock;
  std::vector<int> entries{1, 2, 3};
};
Account checking, savings;

// A guard of the program's own.
class Guard {
 public:
  explicit Guard(std::mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Guard() { mutex_.unlock(); }

 private:
  std::mutex& mutex_;
};

NOT_INLINED void mutex_of_checking() {
  std::lock_guard<std::mutex> first(checking.lock);
  std::lock_guard<std::mutex> second(checking.lock);
  checking.entries.push_back(1);
}
NOT_INLINED void mutex_of_savings() {
  std::lock_guard<std::mutex> first(savings.lock);
  std::lock_guard<std::mutex> second(savings.lock);
  savings.entries.push_back(1);
}
NOT_INLINED void guard_of_checking() {
  Guard first(checking.lock);
  Guard second(checking.lock);
  checking.entries.push_back(1);
}
NOT_INLINED void guard_of_savings() {
  Guard first(savings.lock);
  Guard second(savings.lock);
  savings.entries.push_back(1);
}
NOT_INLINED void at_of_checking() { checking.entries.at(checking.entries.size()) = 1; }
NOT_INLINED void at_of_savings() { savings.entries.at(savings.entries.size()) = 1; }

int main(int argc, char** argv) {
  if (argc != 3) return 0;
  std::string kind = argv[1];
  bool first = argv[2][0] == '0';
  void (*bug)() = kind == "mutex"   ? (first ? mutex_of_checking : mutex_of_savings)
                  : kind == "guard" ? (first ? guard_of_checking : guard_of_savings)
                                    : (first ? at_of_checking : at_of_savings);
  std::thread(bug).join();
}
