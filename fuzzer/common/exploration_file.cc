#include "fuzzer/common/exploration_file.h"

#include "schedule/byte_stream.h"
#include "schedule/hash.h"

namespace rff {
namespace {

constexpr std::string_view kMagic = "RFFSYST\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kMostPoints = 1 << 20;

}  // namespace

// The checksum is that of everything behind it.
std::string encode_exploration(const ExplorationFile& file) {
  std::string body;
  ByteWriter w(body);
  w.number(file.identity.build);
  w.number(file.identity.program);
  w.number(file.identity.options);
  w.number(file.seed);
  w.number(file.explored);
  w.records(file.points);
  w.texts(file.unmodelled_calls);
  w.texts(file.unpatched_modules);
  w.number<std::uint64_t>(file.search.size());
  w.bytes(file.search);
  std::string bytes;
  ByteWriter head(bytes);
  head.bytes(kMagic);
  head.number(kVersion);
  head.number(hash_bytes(body));
  head.bytes(body);
  return bytes;
}

std::string decode_exploration(std::string_view bytes, ExplorationFile& file) {
  ByteReader head(bytes);
  std::uint32_t version = 0;
  std::uint64_t checksum = 0;
  if (head.bytes(kMagic.size(), "its first bytes") != kMagic) {
    return "it was not written by rff-fuzz";
  }
  head.number(version, "version");
  head.number(checksum, "checksum");
  if (!head.ok()) {
    return "it is damaged";
  }
  if (version != kVersion) {
    return "it is of version " + std::to_string(version) + ", and this rff-fuzz writes version " +
           std::to_string(kVersion);
  }
  std::string_view body = bytes.substr(kMagic.size() + sizeof version + sizeof checksum);
  if (hash_bytes(body) != checksum) {
    return "it is damaged";
  }
  ByteReader r(body);
  r.number(file.identity.build, "build");
  r.number(file.identity.program, "program");
  r.number(file.identity.options, "options");
  r.number(file.seed, "seed");
  r.number(file.explored, "runs");
  r.records(file.points, kMostPoints, "scheduling points");
  r.texts(file.unmodelled_calls, "calls");
  r.texts(file.unpatched_modules, "modules");
  std::uint64_t size = 0;
  r.number(size, "search");
  file.search = r.bytes(size, "search");
  return r.ok() && r.at_end() ? "" : "it is damaged";
}

}  // namespace rff
