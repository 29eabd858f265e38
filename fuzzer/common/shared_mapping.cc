#include "fuzzer/common/shared_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace rff {
namespace {

// Returns the number of this process in /proc, which may belong to another namespace than getpid().
std::string own_number() {
  char number[32];
  ssize_t n = ::readlink("/proc/self", number, sizeof number);
  return n > 0 ? std::string(number, static_cast<std::size_t>(n)) : std::to_string(::getpid());
}

}  // namespace

SharedMapping SharedMapping::create(std::size_t bytes) {
  SharedMapping m;
  m.fd_ = ::memfd_create("rff", MFD_CLOEXEC);
  if (m.fd_ < 0 || ::ftruncate(m.fd_, static_cast<off_t>(bytes)) != 0) {
    return {};
  }
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd_, 0);
  if (memory == MAP_FAILED) {
    return {};
  }
  m.memory_ = memory;
  m.bytes_ = bytes;
  m.path_ = "/proc/" + own_number() + "/fd/" + std::to_string(m.fd_);
  return m;
}

SharedMapping SharedMapping::open(const std::string& path, std::size_t bytes) {
  SharedMapping m;
  m.fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status;
  if (m.fd_ < 0 || ::fstat(m.fd_, &status) != 0 ||
      static_cast<std::size_t>(status.st_size) < bytes) {
    return {};
  }
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd_, 0);
  if (memory == MAP_FAILED) {
    return {};
  }
  m.memory_ = memory;
  m.bytes_ = bytes;
  m.path_ = path;
  return m;
}

SharedMapping::~SharedMapping() {
  if (memory_ != nullptr) {
    ::munmap(memory_, bytes_);
  }
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

void SharedMapping::clear() {
  // Shrinking the file returns its pages to the system.
  if (::ftruncate(fd_, 0) != 0 || ::ftruncate(fd_, static_cast<off_t>(bytes_)) != 0) {
    std::memset(memory_, 0, bytes_);
  }
}

void SharedMapping::swap(SharedMapping& other) {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
}

}  // namespace rff
