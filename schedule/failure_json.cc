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
  return {{"cause", static_cast<unsigned>(f.facts.cause)},
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
  f.report = j.value("report", "");
  f.version_2_text = j.at("version_2_text");
  return f;
}

}  // namespace rff
