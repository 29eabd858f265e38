#include "instrument/e9patch/messages.h"

#include <nlohmann/json.hpp>

namespace rff::instrument::e9patch {

namespace {

std::string Quote(const std::string& text) { return nlohmann::json(text).dump(); }

}  // namespace

void MessageWriter::Begin(const char* method) {
  out_ << "{\"jsonrpc\":\"2.0\",\"method\":\"" << method << "\",\"params\":{";
}

void MessageWriter::End() { out_ << "},\"id\":" << id_++ << "}\n"; }

void MessageWriter::Binary(const std::string& file, bool is_library, const std::string& version) {
  Begin("binary");
  out_ << "\"version\":" << Quote(version) << ",\"filename\":" << Quote(file) << ",\"mode\":\""
       << (is_library ? "elf.so" : "elf.exe") << '"';
  End();
}

void MessageWriter::Options(const std::vector<std::string>& arguments) {
  Begin("options");
  out_ << "\"argv\":" << nlohmann::json(arguments).dump();
  End();
}

void MessageWriter::HookTrampoline() {
  Begin("trampoline");
  out_ << R"("name":"$rff","template":["$hook","$instr","$BREAK"])";
  End();
}

void MessageWriter::Instruction(std::uint64_t address, std::uint64_t length, std::uint64_t offset) {
  Begin("instruction");
  out_ << "\"address\":" << address << ",\"length\":" << length << ",\"offset\":" << offset;
  End();
}

void MessageWriter::Patch(std::uint64_t offset, const builtin::CodeBuffer& hook) {
  Begin("patch");
  out_ << R"("trampoline":"$rff","metadata":{"$hook":[)";
  const auto& bytes = hook.bytes();
  std::size_t next = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out_ << (i == 0 ? "" : ",");
    if (next < hook.relatives().size() && hook.relatives()[next].at == i) {
      out_ << "{\"rel32\":" << hook.relatives()[next++].target << '}';
      i += 3;
    } else {
      out_ << static_cast<unsigned>(bytes[i]);
    }
  }
  out_ << "]},\"offset\":" << offset;
  End();
}

void MessageWriter::Emit(const std::string& file) {
  Begin("emit");
  out_ << "\"filename\":" << Quote(file) << ",\"format\":\"binary\"";
  End();
}

}  // namespace rff::instrument::e9patch
