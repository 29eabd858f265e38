#include "schedule/event.h"

#include <array>
#include <cstdio>

namespace rff {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(OpKind::kCount)> kNames = {
    "none",         "init",    "unseen",     "read",       "write",          "rmw",     "create",
    "start",        "end",     "join",       "lock",       "trylock-failed", "unlock",  "read-lock",
    "read-unlock",  "wait",    "wake",       "signal",     "broadcast",      "barrier", "sem-wait",
    "sem-post",     "once",    "futex-wait", "futex-wake", "allocate",       "free",    "yield",
    "sleep",        "syscall", "exit",       "call",       "send",           "receive", "hand-out",
    "await-events", "look",
};

}  // namespace

std::string_view op_name(OpKind op) {
  auto i = static_cast<std::size_t>(op);
  return kNames[i < kNames.size() ? i : 0];
}

std::uint32_t module_hash(std::string_view path) {
  if (auto slash = path.rfind('/'); slash != std::string_view::npos) {
    path.remove_prefix(slash + 1);
  }
  constexpr std::string_view kSuffix = ".patched";
  if (path.ends_with(kSuffix)) {
    path.remove_suffix(kSuffix.size());
  }
  return static_cast<std::uint32_t>(hash_bytes(path));
}

std::string_view location_kind_name(LocationKind kind) {
  switch (kind) {
    case LocationKind::kNone: return "none";
    case LocationKind::kGlobal: return "global";
    case LocationKind::kHeap: return "heap";
    case LocationKind::kStack: return "stack";
    case LocationKind::kMapping: return "mapping";
    case LocationKind::kThread: return "thread";
    case LocationKind::kDescriptor: return "descriptor";
    case LocationKind::kFile: return "file";
  }
  return "none";
}

AbstractEvent AbstractEvent::make(OpKind op, const Location& x, std::uint64_t size, CodeName site) {
  AbstractEvent e;
  e.op = op;
  e.place = x.kind;
  e.size = static_cast<std::uint16_t>(size < 0xffff ? size : 0xffff);
  e.base = x.base;
  e.offset = x.offset;
  e.site = site;
  return e;
}

AbstractEvent AbstractEvent::init(const Location& x) { return make(OpKind::kInit, x, 0, {}); }
AbstractEvent AbstractEvent::unseen(const Location& x) { return make(OpKind::kUnseen, x, 0, {}); }

std::uint64_t AbstractEvent::id() const {
  std::uint64_t h = (static_cast<std::uint64_t>(op) << 8) | static_cast<std::uint64_t>(place);
  h = hash_combine(h, base);
  h = hash_combine(h, offset);
  return hash_combine(h, site.packed());
}

Extent::Extent(const AbstractEvent& e) : place(e.place), base(e.object().base) {
  // A stack location's offset counts downwards from the stack's highest address. The arithmetic is
  // unsigned because a file may hold any offset; a sum that wraps overlaps nothing.
  std::uint64_t offset = e.object().offset;
  std::uint64_t first = e.place == LocationKind::kStack ? -offset : offset;
  begin = static_cast<std::int64_t>(first);
  end = static_cast<std::int64_t>(first + (e.size > 0 ? e.size : 1u));
}

bool conflicting(const AbstractEvent& a, const AbstractEvent& b) {
  return same_location(a, b) && (a.writes() || b.writes());
}

std::string describe(const AbstractEvent& e, std::string (*module_name)(std::uint32_t)) {
  auto module = [&](std::uint32_t hash) {
    if (module_name != nullptr) {
      return module_name(hash);
    }
    char text[16];
    std::snprintf(text, sizeof text, "%08x", hash);
    return std::string(text);
  };
  auto hex = [](std::uint64_t v) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
    return std::string(text);
  };
  auto code = [&](CodeName c) { return module(c.module) + "+" + hex(c.offset); };
  std::string place;
  switch (e.place) {
    case LocationKind::kNone: place = "?"; break;
    case LocationKind::kGlobal:
      place = module(static_cast<std::uint32_t>(e.base)) + ":" + hex(e.offset);
      break;
    case LocationKind::kHeap:
      place = "heap[" + code(CodeName::unpack(e.base)) + "]+" + hex(e.offset);
      break;
    case LocationKind::kStack: place = "stack-" + hex(e.offset); break;
    case LocationKind::kMapping: place = "mapping" + hex(e.base) + "+" + hex(e.offset); break;
    case LocationKind::kThread: place = "thread@" + code(CodeName::unpack(e.base)); break;
    case LocationKind::kDescriptor:
      place = "descriptor@" + code(CodeName::unpack(e.base)) + "#" + std::to_string(e.offset);
      break;
    case LocationKind::kFile: place = "file " + hex(e.base); break;
  }
  std::string text = std::string(op_name(e.op)) + "(" + place + ")";
  if (e.site != CodeName{}) {
    text += "@" + code(e.site);
  }
  return text;
}

}  // namespace rff
