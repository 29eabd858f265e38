// Memory that processes share through a path. It is anonymous: it needs no disk and is released
// with its last user.
#pragma once

#include <string>

namespace rff {

class SharedMapping {
 public:
  // Creates zeroed memory. path() names it for other processes while this object lives. The result
  // is not valid() on failure.
  static SharedMapping create(std::size_t bytes);
  // Maps memory that another object created.
  static SharedMapping open(const std::string& path, std::size_t bytes);

  SharedMapping() = default;
  SharedMapping(SharedMapping&& other) noexcept { swap(other); }
  SharedMapping& operator=(SharedMapping&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedMapping();

  bool valid() const { return memory_ != nullptr; }
  const std::string& path() const { return path_; }
  // Zeroes the memory for all processes that map it. Requires that no process uses it meanwhile.
  void clear();

  template <typename T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void swap(SharedMapping& other);

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  int fd_ = -1;
  std::string path_;
};

}  // namespace rff
