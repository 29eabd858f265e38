#include "instrument/e9patch/messages.h"

#include <nlohmann/json.hpp>

namespace rff::instrument::e9patch {

namespace {

std::string quote(const std::string& text) { return nlohmann::json(text).dump(); }

}  // namespace

void MessageWriter::begin(const char* method) {
  out_ << "{\"jsonrpc\":\"2.0\",\"method\":\"" << method << "\",\"params\":{";
}

void MessageWriter::end() { out_ << "},\"id\":" << id_++ << "}\n"; }

void MessageWriter::binary(const std::string& file, bool is_library, const std::string& version) {
  begin("binary");
  out_ << "\"version\":" << quote(version) << ",\"filename\":" << quote(file) << ",\"mode\":\""
       << (is_library ? "elf.so" : "elf.exe") << '"';
  end();
}

void MessageWriter::options(const std::vector<std::string>& arguments) {
  begin("options");
  out_ << "\"argv\":" << nlohmann::json(arguments).dump();
  end();
}

void MessageWriter::hook_trampoline() {
  begin("trampoline");
  out_ << R"("name":"$rff","template":["$hook","$instr","$BREAK"])";
  end();
}

void MessageWriter::instruction(std::uint64_t address, std::uint64_t length, std::uint64_t offset) {
  begin("instruction");
  out_ << "\"address\":" << address << ",\"length\":" << length << ",\"offset\":" << offset;
  end();
}

void MessageWriter::patch(std::uint64_t offset, const builtin::CodeBuffer& hook) {
  begin("patch");
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
  end();
}

void MessageWriter::emit(const std::string& file) {
  begin("emit");
  out_ << "\"filename\":" << quote(file) << ",\"format\":\"binary\"";
  end();
}

}  // namespace rff::instrument::e9patch
