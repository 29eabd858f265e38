#include "fuzzer/campaign/libraries.h"

#include <fnmatch.h>

#include <sstream>

#include "fuzzer/common/files.h"
#include "fuzzer/run/child_process.h"

namespace rff {

std::vector<Library> parse_loader_list(std::string_view text) {
  std::vector<Library> found;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::size_t arrow = line.find(" => ");
    std::size_t address = line.rfind(" (0x");
    std::size_t begin = line.find_first_not_of(" \t");
    if (line.ends_with(" => not found")) {
      found.push_back({line.substr(begin, arrow - begin), ""});
    } else if (arrow != std::string::npos && address != std::string::npos && address > arrow + 4) {
      found.push_back(
          {line.substr(begin, arrow - begin), line.substr(arrow + 4, address - arrow - 4)});
    }
  }
  return found;
}

std::vector<Library> libraries_of(const std::string& program) {
  ChildProcess::Command command;
  command.arguments = {program};
  command.environment = {{"LD_TRACE_LOADED_OBJECTS", "1"}};
  return parse_loader_list(run_and_read(command).output);
}

bool waits_by_itself(const std::string& path) {
  using namespace std::string_view_literals;
  constexpr std::string_view kFutexNumber = "\xb8\xca\0\0\0"sv;  // mov $SYS_futex, %eax
  constexpr std::string_view kSystemCall = "\x0f\x05"sv;
  constexpr std::size_t kNear = 64;
  std::string bytes = read_file(path).value_or("");
  for (std::size_t at = bytes.find(kFutexNumber); at != std::string::npos;
       at = bytes.find(kFutexNumber, at + 1)) {
    if (std::string_view(bytes).substr(at, kNear).find(kSystemCall) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

std::string container_functions(const std::string& program, const std::string& name) {
  if (::fnmatch("libstdc++.so*", name.c_str(), 0) != 0) {
    return "";
  }
  std::string bytes = read_file(program).value_or("");
  for (const char* called : {"_List_node_base", "_Rb_tree_insert_and_rebalance"}) {
    if (bytes.find(called) != std::string::npos) {
      return "*_List_node_base*,_ZSt*_Rb_tree_*";
    }
  }
  return "";
}

bool wants_library(const std::string& wanted, const std::string& name) {
  for (const char* never :
       {"ld-linux*", "ld.so*", "libc.so*", "libpthread.so*", "libdl.so*", "librt.so*",
        "linux-vdso*", "libsched.so*", "lib*san.so*", "libclang_rt.*"}) {
    if (::fnmatch(never, name.c_str(), 0) == 0) {
      return false;
    }
  }
  if (wanted.empty() || wanted == "none" || wanted == "all") {
    return wanted == "all";
  }
  std::istringstream patterns(wanted);
  for (std::string pattern; std::getline(patterns, pattern, ',');) {
    if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace rff
