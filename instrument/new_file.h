// A file that is written under a temporary name and renamed to its final place when complete.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrument/result.h"

namespace rff::instrument {

class NewFile {
 public:
  // Refuses a `path` that names something other than a regular file. Follows links.
  static Result<NewFile> create(const std::string& path);
  // Removes the temporary file, unless it has been put in its place.
  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // Returns the temporary name.
  const std::string& temporary() const { return temporary_; }
  // These return an error message, or "".
  std::string write(const std::vector<std::uint8_t>& bytes, std::uint64_t offset);
  std::string put(std::uint32_t mode);

 private:
  explicit NewFile(const std::string& path) : path_(path), place_(path) {}
  std::string problem() const;

  std::string path_;   // as the user named it
  std::string place_;  // with links followed
  std::string temporary_;
  int fd_ = -1;
};

}  // namespace rff::instrument
