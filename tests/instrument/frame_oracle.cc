#include "tests/instrument/frame_oracle.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/instrument/support.h"

namespace rff::test {

std::map<std::uint64_t, std::string> functions_of_sites(const std::string& program) {
  std::map<std::uint64_t, std::string> functions;
  for (const std::string& line : lines_of(execute({RFF_INSTRUMENT, "--list", program}).out)) {
    std::istringstream in(line);
    std::string site, kind, size, function;
    in >> site >> kind >> size >> function;
    functions[std::stoull(site, nullptr, 16)] = function;
  }
  return functions;
}

std::set<std::uint64_t> private_sites(const std::string& report_file) {
  std::set<std::uint64_t> sites;
  nlohmann::json report = nlohmann::json::parse(read_file(report_file));
  for (const auto& site : report["private_to_frame"]) {
    sites.insert(std::stoull(site.get<std::string>(), nullptr, 16));
  }
  return sites;
}

void FrameOracle::read(std::uint64_t site, std::uint64_t address, const std::string& line) {
  auto writer = writers_.find(address);
  if (writer == writers_.end()) {
    return;
  }
  bool reader_private = private_sites_.count(site) != 0;
  bool writer_private = private_sites_.count(writer->second) != 0;
  if (reader_private != writer_private ||
      (reader_private && functions_[site] != functions_[writer->second])) {
    char text[64];
    std::snprintf(text, sizeof(text), " reads what %llx wrote",
                  static_cast<unsigned long long>(writer->second));
    leaks_.push_back(line + text);
  }
}

void FrameOracle::add(const std::string& line) {
  unsigned long long site = 0, address = 0, size = 0;
  char kind = 0;
  if (std::sscanf(line.c_str(), "%llx %c stack+%llx %llu", &site, &kind, &address, &size) != 4) {
    return;  // not on the stack
  }
  if (kind == 'x') {
    writers_.erase(writers_.begin(), writers_.lower_bound(address));
    return;
  }
  private_accesses_ += private_sites_.count(site);
  for (std::uint64_t i = 0; i < size; ++i) {
    if (kind != 'w') {
      read(site, address + i, line);
    }
    if (kind != 'r') {
      writers_[address + i] = site;
    }
  }
}

}  // namespace rff::test
