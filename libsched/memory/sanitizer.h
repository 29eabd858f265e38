// The sanitizer that the program is built with, if any (AddressSanitizer, LeakSanitizer,
// UndefinedBehaviorSanitizer): its runtime is a library or linked into the program. What it does
// is no event, what it reports is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libsched/memory/modules.h"

namespace rff {

class Sanitizer {
 public:
  // Call before the first run, after Modules::refresh.
  void find(const Modules& modules);

  // It has records of its own of the program's threads, which only the C library's threads fill.
  bool keeps_threads() const { return kinds_ != 0; }
  bool checks_addresses() const { return (kinds_ & hook::kAddressSanitizer) != 0; }
  // Its shadow memory: accesses to it are none of the program's.
  bool owns(std::uint64_t address) const { return address - shadow_begin_ < shadow_bytes_; }
  // Code of a runtime that is linked into the program: it is no code of the program's.
  bool is_linked_code(std::uint64_t address) const {
    return address - code_begin_ < code_end_ - code_begin_;
  }
  // The same, or of its library.
  bool is_code(std::uint64_t address) const;

  // AddressSanitizer checks an access before the runtime may stop the thread there. What another
  // thread has freed meanwhile it would not notice: then it has to check again.
  bool freed(std::uint64_t address) const;
  void check(std::uint64_t address, std::uint64_t size, bool writes) const;

  // Tells of every block that it gives out and takes back. False: it has no allocator.
  bool watch_heap(void (*given)(const volatile void*, std::size_t),
                  void (*taken)(const volatile void*)) const;
  // Ends the program with a report if it has lost memory.
  void check_leaks() const;
  // It ends the program only because it was not allowed to look.
  bool could_not_check_leaks() const;

  // A run begins: reports are kept from here on.
  void begin_run() const;
  // UndefinedBehaviorSanitizer is about to write a report, or the memory for it got another
  // descriptor.
  void begin_report() const;
  // In a process that the program has made: reports go where it wants them.
  void in_child() const;
  // What it has written in this run; empty: nothing.
  std::string report() const;

 private:
  struct Range {
    std::uint64_t begin, end;
  };

  std::uint32_t kinds_ = 0;  // hook::SanitizerKind
  std::uint64_t shadow_begin_ = 0, shadow_bytes_ = 0;
  std::uint64_t code_begin_ = 0, code_end_ = 0;
  std::uint64_t functions_[hook::kSanitizerFunctions] = {};
  std::vector<Range> libraries_;
};

// What a report says in one line, without what differs from run to run and from build to build:
// "AddressSanitizer: heap-use-after-free (READ of size 4)".
std::string report_title(const std::string& report);

}  // namespace rff
