#include "libsched/process/given_input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

#include "libsched/support/own_descriptors.h"
#include "libsched/support/panic.h"
#include "libsched/support/real.h"
#include "schedule/input_parts.h"

namespace rff {
namespace {

// Returns the descriptor of a new file that holds the bytes.
int make_file(const std::string& bytes) {
  long fd = real::syscall6(SYS_memfd_create, reinterpret_cast<long>("rff-input"), 0);
  std::size_t done = 0;
  while (fd >= 0 && done < bytes.size()) {
    long n = real::syscall6(SYS_pwrite64, fd, reinterpret_cast<long>(bytes.data() + done),
                            static_cast<long>(bytes.size() - done), static_cast<long>(done));
    if (n <= 0) {
      fd = n;
      break;
    }
    done += static_cast<std::size_t>(n);
  }
  if (fd < 0) {
    panic("its input cannot be kept in memory");
  }
  // Its times are values of the program, too.
  constexpr timespec kTimes[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
  real::syscall6(SYS_utimensat, fd, 0, reinterpret_cast<long>(kTimes), 0);
  return static_cast<int>(fd);
}

void become_standard_input(int fd) {
  real::syscall6(SYS_dup3, fd, 0, 0);
  real::syscall6(SYS_close, fd);
}

void keep_as_files(const ProgramInput& input) {
  std::vector<std::string> texts = program_texts(input);
  for (std::size_t part = 0; part < texts.size(); ++part) {
    auto use = static_cast<own_descriptors::Use>(own_descriptors::kInput + part);
    if (own_descriptors::keep(use, make_file(texts[part])) !=
        kInputDescriptor + static_cast<int>(part)) {
      panic("its input has no descriptor: the program may open too few files");
    }
  }
}

// The words belong to the program, which may change or free them as its own.
void replace_arguments(const ProgramInput& input, char** arguments) {
  std::vector<std::string> texts = program_texts(input);
  for (char** word = arguments; *word != nullptr; ++word) {
    for (std::size_t part = 0; part < texts.size(); ++part) {
      std::string mark = part_mark(kHiddenInputMark, input, part);
      if (strstr(*word, mark.c_str()) != nullptr) {
        *word = strdup(replace_mark(*word, mark, texts[part].c_str()).c_str());
      }
    }
  }
}

PropertyInput for_properties;

void keep_for_properties(const ProgramInput& input) {
  auto* copy = static_cast<unsigned char*>(malloc(input.bytes.size() + 1));
  if (copy == nullptr) {
    panic("its input cannot be kept in memory");
  }
  std::copy(input.bytes.begin(), input.bytes.end(), copy);
  for_properties = {input.name.empty() ? nullptr : strdup(input.name.c_str()), copy,
                    input.bytes.size()};
}

}  // namespace

const PropertyInput& property_input() { return for_properties; }

void give_input(const ProgramInput& input, char** arguments) {
  switch (input.way) {
    case ProgramInput::Way::kStandardInput: become_standard_input(make_file(input.bytes)); break;
    case ProgramInput::Way::kFile: keep_as_files(input); break;
    case ProgramInput::Way::kArgument: replace_arguments(input, arguments); break;
    case ProgramInput::Way::kVariable: setenv(input.name.c_str(), input.bytes.c_str(), 1); break;
    case ProgramInput::Way::kProperty: keep_for_properties(input); break;
    default: break;
  }
}

}  // namespace rff
