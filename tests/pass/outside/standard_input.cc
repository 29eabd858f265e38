// std::cin waits for another thread of the same process.
#include <unistd.h>

#include <cassert>
#include <iostream>
#include <string>
#include <thread>

int main() {
  int ends[2];
  assert(pipe(ends) == 0);
  assert(dup2(ends[0], 0) == 0);
  std::thread producer([&] {
    for (const char* piece : {"on", "e two\nthree ", "4\n"}) {
      assert(write(ends[1], piece, std::char_traits<char>::length(piece)) > 0);
    }
    close(ends[1]);
  });
  std::string line;
  assert(std::getline(std::cin, line) && line == "one two");
  int number = 0;
  assert(std::cin >> line >> number && line == "three" && number == 4);
  assert(!(std::cin >> line));
  producer.join();
  return 0;
}
