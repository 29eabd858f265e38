#include "schedule/schedule_file.h"

#include "schedule/schedule_parts.h"

namespace rff {

namespace {

constexpr std::string_view kMagic = "RFFSCHED";
// Offsets in the header: magic, version, reserved, length, checksum.
constexpr std::size_t kLengthAt = 16;
constexpr std::size_t kChecksumAt = 24;
constexpr std::size_t kHeaderBytes = 32;

std::string wrong_version(std::uint32_t version) {
  return "has version " + std::to_string(version) +
         (version > kScheduleVersion
              ? ", from a newer rff; this one reads versions 2 and 3: use the rff that wrote it, "
                "or update"
              : "; this rff reads versions 2 and 3: record the schedule again");
}

}  // namespace

std::string encode_schedule(const Schedule& schedule) {
  std::string out;
  out.reserve(256 + schedule.prefix.size() * sizeof(Decision) +
              schedule.constraints.size() * (1 + 2 * sizeof(AbstractEvent)));
  ByteWriter w(out);
  out.append(kMagic);
  w.number(kScheduleVersion);
  w.number(std::uint32_t{0});  // reserved
  w.number(std::uint64_t{0});  // length
  w.number(std::uint64_t{0});  // checksum
  schedule_parts::write_sections(w, schedule);
  w.number_at(kLengthAt, static_cast<std::uint64_t>(out.size() - kHeaderBytes));
  w.number_at(kChecksumAt, hash_bytes(std::string_view(out).substr(kHeaderBytes)));
  return out;
}

DecodeResult decode_schedule(std::string_view bytes) {
  if (bytes.size() > kMaxScheduleBytes) {
    return {std::nullopt, "is larger than a schedule file can be"};
  }
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return {std::nullopt, bytes.empty() ? "is empty" : "is not a schedule file"};
  }
  ByteReader header(bytes.substr(kMagic.size()));
  std::uint32_t version = 0;
  std::uint32_t reserved = 0;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;
  header.number(version, "the header");
  header.number(reserved, "the header");
  header.number(length, "the header");
  header.number(checksum, "the header");
  if (!header.ok()) {
    return {std::nullopt, "is truncated: " + header.error()};
  }
  if (version < kOldestScheduleVersion || version > kScheduleVersion) {
    return {std::nullopt, wrong_version(version)};
  }
  std::string_view body = bytes.substr(kHeaderBytes);
  if (body.size() < length) {
    return {std::nullopt,
            "is truncated: " + std::to_string(length - body.size()) + " bytes are missing"};
  }
  if (body.size() > length) {
    return {std::nullopt, "has bytes after its end"};
  }
  if (hash_bytes(body) != checksum || reserved != 0) {
    return {std::nullopt, "is corrupted: its checksum does not match"};
  }
  DecodeResult result;
  result.schedule.emplace();
  if (version == kScheduleVersion) {
    result.error = schedule_parts::read_sections(body, *result.schedule);
  } else {
    ByteReader r(body);
    schedule_parts::read_version_2(r, *result.schedule);
    result.error = r.ok() ? "" : "is malformed: " + r.error();
  }
  if (!result.error.empty()) {
    result.schedule.reset();
  }
  return result;
}

}  // namespace rff
