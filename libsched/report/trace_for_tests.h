// For tests: a trace file and its records.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "schedule/trace.h"

namespace rff {

struct TraceRecord {
  trace::RecordKind kind;
  std::string payload;

  // Returns the fixed part of a record, and the text after it.
  template <typename Info>
  Info as() const {
    Info info{};
    EXPECT_GE(payload.size(), sizeof info);
    std::memcpy(&info, payload.data(), std::min(payload.size(), sizeof info));
    return info;
  }
  template <typename Info>
  std::string text() const {
    return payload.substr(sizeof(Info));
  }
};

class TraceFile {
 public:
  TraceFile() { close(mkstemp(path_)); }
  ~TraceFile() { unlink(path_); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const char* path() const { return path_; }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Returns all records; fails if one is incomplete.
  std::vector<TraceRecord> records() const {
    std::string all = bytes();
    std::vector<TraceRecord> list;
    std::size_t at = sizeof(trace::TraceHeader);
    while (at < all.size()) {
      trace::RecordHeader header{};
      EXPECT_LE(at + sizeof header, all.size());
      std::memcpy(&header, all.data() + at, sizeof header);
      at += sizeof header;
      EXPECT_LE(at + header.bytes, all.size());
      list.push_back({header.kind, all.substr(at, header.bytes)});
      at += header.bytes;
    }
    return list;
  }
  // Returns the fixed parts of all records of a kind.
  template <typename Info>
  std::vector<Info> all(trace::RecordKind kind) const {
    std::vector<Info> list;
    for (const TraceRecord& r : records()) {
      if (r.kind == kind) {
        list.push_back(r.as<Info>());
      }
    }
    return list;
  }

 private:
  char path_[32] = "/tmp/rff-trace-XXXXXX";
};

}  // namespace rff
