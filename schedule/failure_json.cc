#include "schedule/failure_json.h"

namespace rff {

using json_parts::hex;
using json_parts::number;
using nlohmann::json;

json json_parts::hex(std::uint64_t v) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[v & 15]);
    v >>= 4;
  } while (v != 0);
  return "0x" + text;
}
std::uint64_t json_parts::number(const json& j) {
  return j.is_string() ? std::stoull(j.get<std::string>(), nullptr, 0) : j.get<std::uint64_t>();
}

namespace {

template <typename Enum>
Enum enumeration(const json& j) {
  auto value = j.get<unsigned>();
  return value < static_cast<unsigned>(Enum::kCount) ? static_cast<Enum>(value) : Enum{};
}

json to_json(const FailureWait& w) {
  return {{"thread", w.thread},
          {"thread_name", w.thread_name},
          {"holder", w.holder},
          {"holder_name", w.holder_name},
          {"op", static_cast<unsigned>(w.op)},
          {"object", static_cast<unsigned>(w.object)},
          {"address", hex(w.address)},
          {"site", hex(w.site.packed())},
          {"held_since", hex(w.held_since.packed())}};
}
FailureWait wait_from(const json& j) {
  FailureWait w;
  w.thread = j.at("thread");
  w.thread_name = j.at("thread_name");
  w.holder = j.at("holder");
  w.holder_name = j.at("holder_name");
  w.op = enumeration<OpKind>(j.at("op"));
  w.object = enumeration<WaitObject>(j.at("object"));
  w.address = number(j.at("address"));
  w.site = CodeName::unpack(number(j.at("site")));
  w.held_since = CodeName::unpack(number(j.at("held_since")));
  return w;
}

json to_json(const MemoryError& m) {
  return {{"op", static_cast<unsigned>(m.op)},
          {"allocated_with", static_cast<unsigned>(m.allocated_with)},
          {"freed_with", static_cast<unsigned>(m.freed_with)},
          {"area", static_cast<unsigned>(m.area)},
          {"thread", m.thread},
          {"thread_name", m.thread_name},
          {"address", hex(m.address)},
          {"size", m.size},
          {"wrong", hex(m.wrong)},
          {"block", hex(m.block)},
          {"block_size", m.block_size},
          {"freed_by", m.freed_by},
          {"freed_by_name", m.freed_by_name},
          {"allocated_by", m.allocated_by},
          {"allocated_by_name", m.allocated_by_name},
          {"step", m.step},
          {"freed_step", m.freed_step},
          {"freed_at", hex(m.freed_at.packed())},
          {"allocated_at", hex(m.allocated_at.packed())}};
}
MemoryError memory_error_from(const json& j) {
  MemoryError m;
  m.op = enumeration<OpKind>(j.at("op"));
  m.allocated_with = enumeration<AllocatorFamily>(j.at("allocated_with"));
  m.freed_with = enumeration<AllocatorFamily>(j.at("freed_with"));
  m.area = enumeration<MemoryArea>(j.at("area"));
  m.thread = j.at("thread");
  m.thread_name = j.at("thread_name");
  m.address = number(j.at("address"));
  m.size = j.at("size");
  m.wrong = number(j.at("wrong"));
  m.block = number(j.at("block"));
  m.block_size = j.at("block_size");
  m.freed_by = j.at("freed_by");
  m.freed_by_name = j.at("freed_by_name");
  m.allocated_by = j.at("allocated_by");
  m.allocated_by_name = j.at("allocated_by_name");
  m.step = j.at("step");
  m.freed_step = j.at("freed_step");
  m.freed_at = CodeName::unpack(number(j.at("freed_at")));
  m.allocated_at = CodeName::unpack(number(j.at("allocated_at")));
  return m;
}

}  // namespace

json failure_to_json(const Failure& f) {
  json waits = json::array();
  for (const FailureWait& w : f.waits) {
    waits.push_back(to_json(w));
  }
  json reads = json::array();
  for (const RepeatedRead& r : f.repeated_reads) {
    reads.push_back({{"thread", r.thread}, {"site", hex(r.site.packed())}});
  }
  json stacks = json::array();
  for (const FailureStack& s : f.stacks) {
    json frames = json::array();
    for (CodeName code : s.frames) {
      frames.push_back(hex(code.packed()));
    }
    stacks.push_back({{"thread", s.thread}, {"frames", frames}});
  }
  json modules = json::array();
  for (const ModuleName& m : f.modules) {
    modules.push_back({{"hash", m.hash}, {"name", m.name}});
  }
  json j = {{"cause", static_cast<unsigned>(f.facts.cause)},
            {"flags", f.facts.flags},
            {"signal", f.facts.signal},
            {"exit_status", f.facts.exit_status},
            {"address", hex(f.facts.address)},
            {"inside", hex(f.facts.inside.packed())},
            {"words", f.words},
            {"waits", waits},
            {"repeated_reads", reads},
            {"stacks", stacks},
            {"modules", modules},
            {"report", f.report},
            {"version_2_text", f.version_2_text}};
  if (f.memory) {
    j["memory_error"] = to_json(*f.memory);
  }
  return j;
}

Failure failure_from_json(const json& j) {
  Failure f;
  f.facts.cause = enumeration<CrashCause>(j.at("cause"));
  f.facts.flags = j.at("flags");
  f.facts.signal = j.at("signal");
  f.facts.exit_status = j.at("exit_status");
  f.facts.address = number(j.at("address"));
  f.facts.inside = CodeName::unpack(number(j.at("inside")));
  f.words = j.at("words");
  for (const json& w : j.at("waits")) {
    f.waits.push_back(wait_from(w));
  }
  for (const json& r : j.at("repeated_reads")) {
    f.repeated_reads.push_back({r.at("thread"), 0, CodeName::unpack(number(r.at("site")))});
  }
  for (const json& s : j.value("stacks", json::array())) {
    FailureStack& stack = f.stacks.emplace_back();
    stack.thread = s.at("thread");
    for (const json& code : s.at("frames")) {
      stack.frames.push_back(CodeName::unpack(number(code)));
    }
  }
  for (const json& m : j.at("modules")) {
    f.modules.push_back({m.at("hash"), m.at("name")});
  }
  if (j.contains("memory_error")) {
    f.memory = memory_error_from(j.at("memory_error"));
  }
  f.report = j.value("report", "");
  f.version_2_text = j.at("version_2_text");
  return f;
}

}  // namespace rff
