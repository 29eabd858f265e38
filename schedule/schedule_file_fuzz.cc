// libFuzzer entry for the schedule reader. Not part of the build; to run it for a while:
//   clang++ -std=c++20 -g -fsanitize=fuzzer,address,undefined -I. schedule/schedule_file_fuzz.cc
//     schedule/event.cc schedule/abstract_schedule.cc schedule/schedule_file.cc
//     schedule/schedule_file_v2.cc schedule/schedule_sections.cc schedule/failure.cc
//     schedule/failure_section.cc -o schedule_fuzz
//   ./schedule_fuzz schedule/corpus
// The checksum is repaired before reading; otherwise no mutated input would pass it.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "schedule/schedule_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.size() > 32 && (bytes[31] & 1) != 0) {
    std::uint64_t length = bytes.size() - 32;
    std::uint64_t sum = rff::hash_bytes(std::string_view(bytes).substr(32));
    std::memcpy(bytes.data() + 16, &length, 8);
    std::memcpy(bytes.data() + 24, &sum, 8);
  }
  rff::DecodeResult r = rff::decode_schedule(bytes);
  if (r.schedule &&
      rff::decode_schedule(rff::encode_schedule(*r.schedule)).schedule != r.schedule) {
    std::abort();
  }
  return 0;
}
