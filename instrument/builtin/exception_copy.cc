#include "instrument/builtin/exception_copy.h"

#include <algorithm>
#include <set>

#include "instrument/builtin/frame_writer.h"
#include "instrument/byte_reader.h"

namespace rff::instrument::builtin {

namespace {

constexpr std::uint8_t kPcRelative4 = 0x1b;
constexpr std::uint8_t kUleb = 0x01;
constexpr std::uint64_t kMost = 1 << 16;  // limit for types and bytes of actions

void put4(std::vector<std::uint8_t>& out, std::uint64_t value) {
  for (int i = 0; i < 4; ++i) {
    out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

// Computes how much of the original's tables is in use: the size is stored nowhere.
class Extent {
 public:
  Extent(const ElfFile& file, const ExceptionTable& table) : file_(file), table_(table) {
    for (const CallSite& site : table.sites) {
      if (site.action != 0) {
        follow_actions(table.actions + site.action - 1);
      }
    }
    ok_ = ok_ && types_ < kMost && action_bytes_ < kMost && list_bytes_ < kMost &&
          (types_ + list_bytes_ == 0 || table.types_end != 0);
  }

  bool ok() const { return ok_; }
  std::uint64_t action_bytes() const { return action_bytes_; }
  std::uint64_t types() const { return types_; }
  std::uint64_t list_bytes() const { return list_bytes_; }

 private:
  void follow_actions(std::uint64_t at) {
    while (ok_ && seen_.insert(at).second) {
      ByteReader in(file_, at);
      std::int64_t filter = in.sleb();
      std::uint64_t next_at = in.address();
      std::int64_t next = in.sleb();
      ok_ = in.ok() && at >= table_.actions;
      action_bytes_ = std::max(action_bytes_, in.address() - table_.actions);
      if (filter > 0) {
        types_ = std::max(types_, static_cast<std::uint64_t>(filter));
      } else if (filter < 0) {
        follow_list(table_.types_end + static_cast<std::uint64_t>(-filter - 1));
      }
      if (next == 0) {
        return;
      }
      at = next_at + static_cast<std::uint64_t>(next);
    }
  }

  // Reads the list of types that a function may throw.
  void follow_list(std::uint64_t at) {
    ByteReader in(file_, at);
    for (std::uint64_t type = in.uleb(); type != 0 && in.ok(); type = in.uleb()) {
      types_ = std::max(types_, type);
    }
    ok_ = ok_ && in.ok();
    list_bytes_ = std::max(list_bytes_, in.address() - table_.types_end);
  }

  const ElfFile& file_;
  const ExceptionTable& table_;
  std::set<std::uint64_t> seen_;
  bool ok_ = true;
  std::uint64_t action_bytes_ = 0;
  std::uint64_t types_ = 0;
  std::uint64_t list_bytes_ = 0;
};

bool append(const ElfFile& file, std::uint64_t from, std::uint64_t size,
            std::vector<std::uint8_t>& out) {
  auto bytes = file.at(from);
  if (bytes.size() < size) {
    return false;
  }
  out.insert(out.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  return true;
}

std::uint64_t type_bytes(std::uint8_t encoding) {
  switch (encoding & 0x0f) {
    case 0x03:
    case 0x0b: return 4;
    default: return 8;
  }
}

// Types are absolute, or distances from their own place: distances grow by how far they move.
bool append_types(const ElfFile& file, const ExceptionTable& table, std::uint64_t count,
                  std::uint64_t address, std::vector<std::uint8_t>& out) {
  std::uint64_t size = type_bytes(table.type_encoding);
  std::uint64_t from = table.types_end - count * size;
  std::size_t start = out.size();
  if (!append(file, from, count * size, out) || (table.type_encoding & 0x70) == 0) {
    return out.size() == start + count * size;
  }
  if ((table.type_encoding & 0x7f) != kPcRelative4) {
    return false;
  }
  auto moved = static_cast<std::uint32_t>(address + start - from);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t value;
    std::memcpy(&value, out.data() + start + 4 * i, 4);
    if (value != 0) {  // 0: any type
      value -= moved;
      std::memcpy(out.data() + start + 4 * i, &value, 4);
    }
  }
  return true;
}

}  // namespace

std::vector<std::uint8_t> copy_exception_table(const ElfFile& file, const ExceptionTable& table,
                                               const CopiedRange& range, std::uint64_t address) {
  Extent extent(file, table);
  if (!extent.ok()) {
    return {};
  }
  std::vector<std::uint8_t> sites;
  for (const CallSite& site : table.sites) {
    std::uint64_t begin = range.copy_of(site.begin);
    append_uleb(sites, begin - range.begin);
    append_uleb(sites, range.copy_of(site.end) - begin);
    append_uleb(sites, site.pad);
    append_uleb(sites, site.action);
  }
  std::vector<std::uint8_t> body{kUleb};
  append_uleb(body, sites.size());
  body.insert(body.end(), sites.begin(), sites.end());
  if (!append(file, table.actions, extent.action_bytes(), body)) {
    return {};
  }
  std::vector<std::uint8_t> out{kPcRelative4};
  put4(out, table.pad_base - (address + out.size()));
  bool typed = extent.types() + extent.list_bytes() != 0;
  out.push_back(typed ? table.type_encoding : ByteReader::kOmit);
  if (typed) {
    append_uleb(out, body.size() + extent.types() * type_bytes(table.type_encoding));
  }
  out.insert(out.end(), body.begin(), body.end());
  if (typed && (!append_types(file, table, extent.types(), address, out) ||
                !append(file, table.types_end, extent.list_bytes(), out))) {
    return {};
  }
  return out;
}

}  // namespace rff::instrument::builtin
