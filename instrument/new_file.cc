#include "instrument/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace rff::instrument {

Result<NewFile> NewFile::create(const std::string& path) {
  NewFile file(path);
  if (char* resolved = realpath(path.c_str(), nullptr)) {
    file.place_ = resolved;
    std::free(resolved);
  }
  struct stat existing {};
  if (stat(file.place_.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    return Error{"cannot write " + path + ": it exists and is not a regular file"};
  }
  std::string temporary = file.place_ + ".XXXXXX";
  file.fd_ = mkostemp(temporary.data(), O_CLOEXEC);
  if (file.fd_ < 0) {
    return Error{file.problem()};
  }
  file.temporary_ = std::move(temporary);
  return file;
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      temporary_(std::exchange(other.temporary_, "")),
      fd_(std::exchange(other.fd_, -1)) {}

NewFile::~NewFile() {
  if (fd_ >= 0) {
    close(fd_);
  }
  if (!temporary_.empty()) {
    unlink(temporary_.c_str());
  }
}

std::string NewFile::problem() const {
  return "cannot write " + path_ + ": " + std::strerror(errno);
}

std::string NewFile::write(const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n =
        pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return problem();
    }
    done += static_cast<std::size_t>(n);
  }
  return "";
}

std::string NewFile::put(std::uint32_t mode) {
  // Uses the name, not the descriptor: another program may have recreated the file.
  if (chmod(temporary_.c_str(), mode & 07777) != 0 || close(std::exchange(fd_, -1)) != 0 ||
      rename(temporary_.c_str(), place_.c_str()) != 0) {
    return problem();
  }
  temporary_.clear();
  return "";
}

}  // namespace rff::instrument
