// Memory that processes share through a path: anonymous, so it needs no disk and vanishes with its
// last user.
#pragma once

#include <string>

namespace rff {

class SharedMapping {
 public:
  // Fresh zeroed memory; path() names it for other processes while this object lives. Not valid()
  // on failure.
  static SharedMapping create(std::size_t bytes);
  // Memory created elsewhere.
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
  // All zero again, for everybody who maps it. Nobody may be using it meanwhile.
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
