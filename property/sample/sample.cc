// A user's property in C++: a list reversed twice is the list.
#include <rff/property.h>

#include <algorithm>
#include <vector>

RFF_PROPERTY(ReversedTwice, (std::vector<int> numbers)) {
  std::vector<int> twice = numbers;
  std::reverse(twice.begin(), twice.end());
  std::reverse(twice.begin(), twice.end());
  rff_check(twice == numbers);
}
