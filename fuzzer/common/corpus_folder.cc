#include "fuzzer/common/corpus_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fuzzer/common/files.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

// Returns why a file must not be read; empty if it may. Opening a pipe would wait for a writer, and
// reading a device may never end.
std::string obstacle(const fs::path& path) {
  std::error_code error;
  switch (fs::status(path, error).type()) {
    case fs::file_type::regular: return {};
    case fs::file_type::not_found: return "a link to nothing";
    case fs::file_type::fifo: return "a pipe";
    case fs::file_type::socket: return "a socket";
    case fs::file_type::block:
    case fs::file_type::character: return "a device";
    default: return error ? error.message() : "not a file";
  }
}

}  // namespace

std::string too_large_words() {
  return "larger than any schedule (" + std::to_string(kMostScheduleBytes >> 20) + " MiB)";
}

CorpusFolder load_corpus(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_directory(error)) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  CorpusFolder corpus;
  for (const fs::path& path : paths) {
    std::string why = obstacle(path);
    std::optional<std::string> bytes;
    if (why.empty() && !(bytes = read_file(path, kMostScheduleBytes))) {
      why = errno == EFBIG ? too_large_words() : std::strerror(errno);
    }
    DecodeResult decoded = bytes ? decode_schedule(*bytes) : DecodeResult{};
    if (decoded.schedule) {
      corpus.files.push_back(path);
      corpus.schedules.push_back(std::move(*decoded.schedule));
    } else {
      corpus.left_out.push_back(path.filename().string() + " (" +
                                (why.empty() ? "not a schedule" : why) + ")");
    }
  }
  return corpus;
}

}  // namespace rff
