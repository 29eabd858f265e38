#include "fuzzer/common/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace rff {
namespace {

namespace fs = std::filesystem;

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// Returns an errno value.
int write_to(const fs::path& path, int how, std::string_view bytes) {
  int fd = ::open(path.c_str(), how, 0644);
  if (fd < 0) {
    return errno;
  }
  bool written = write_all(fd, bytes);
  int error = written ? 0 : (errno != 0 ? errno : EIO);
  if (::close(fd) != 0 && error == 0) {
    error = errno;
  }
  return error;
}

}  // namespace

std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t most) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return std::nullopt;
  }
  struct stat status;
  bool too_large = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                   static_cast<std::uintmax_t>(status.st_size) > most;
  std::string bytes;
  char buffer[1 << 16];
  ssize_t n = 0;
  while (!too_large && ((n = ::read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))) {
    if (n > 0) {
      bytes.append(buffer, static_cast<std::size_t>(n));
      too_large = bytes.size() > most;
    }
  }
  int error = too_large ? EFBIG : errno;
  ::close(fd);
  errno = error;
  return n < 0 || too_large ? std::nullopt : std::optional(std::move(bytes));
}

int write_file(const std::filesystem::path& path, std::string_view bytes) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return write_to(path, O_WRONLY | O_CLOEXEC, bytes);
  }
  fs::path target = path;
  if (std::error_code failed; fs::is_symlink(path, failed)) {
    target = fs::weakly_canonical(path, failed);
    if (failed) {
      return failed.value();
    }
  }
  std::string unfinished = target.string() + ".part";
  int error = write_to(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, bytes);
  if (error == 0 && ::rename(unfinished.c_str(), target.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlink(unfinished.c_str());
  }
  return error;
}

}  // namespace rff
