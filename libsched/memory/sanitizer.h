// The sanitizer that the program is built with, if any (AddressSanitizer, LeakSanitizer,
// UndefinedBehaviorSanitizer), as a library or linked into the program. Its own accesses are no
// events; its reports are findings.
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

  // True if it keeps records of the program's threads, which only the C library's threads fill.
  bool keeps_threads() const { return kinds_ != 0; }
  bool checks_addresses() const { return (kinds_ & hook::kAddressSanitizer) != 0; }
  // True for its shadow memory: accesses to it are not the program's.
  bool owns(std::uint64_t address) const { return address - shadow_begin_ < shadow_bytes_; }
  // True for code of a runtime that is linked into the program.
  bool is_linked_code(std::uint64_t address) const {
    return address - code_begin_ < code_end_ - code_begin_;
  }
  // The same, or code of its library.
  bool is_code(std::uint64_t address) const;

  // AddressSanitizer checks an access before the runtime may stop the thread there, so it would
  // miss that another thread frees the memory meanwhile. If this becomes true during the stop, call
  // `check`.
  bool freed(std::uint64_t address) const;
  void check(std::uint64_t address, std::uint64_t size, bool writes) const;

  // Reports every block that its allocator hands out and takes back. Returns false if it has no
  // allocator.
  bool watch_heap(void (*given)(const volatile void*, std::size_t),
                  void (*taken)(const volatile void*)) const;
  // Ends the program with a report if it has leaked memory.
  void check_leaks() const;
  // Returns whether it ends the program only because it was not allowed to check for leaks.
  bool could_not_check_leaks() const;

  // From here on reports go where they go without RFF.
  void leave_reports() { keeps_reports_ = false; }
  // Begins a run: reports are kept from here on.
  void begin_run() const;
  // Call when UndefinedBehaviorSanitizer is about to write a report, or the memory for it got
  // another descriptor.
  void begin_report() const;
  // For processes that the program creates: their reports go where the program wants them.
  void in_child() const;
  // Returns the report of this run; empty if there is none.
  std::string report() const;

 private:
  void set_descriptor(long descriptor) const;
  struct Range {
    std::uint64_t begin, end;
  };

  bool keeps_reports_ = true;
  std::uint32_t kinds_ = 0;  // hook::SanitizerKind
  std::uint64_t shadow_begin_ = 0, shadow_bytes_ = 0;
  std::uint64_t code_begin_ = 0, code_end_ = 0;
  std::uint64_t functions_[hook::kSanitizerFunctions] = {};
  std::vector<Range> libraries_;
  // __sanitizer_set_report_fd of every runtime: gcc links one for each sanitizer.
  std::vector<std::uint64_t> descriptor_setters_;
};

// Summarizes a report in one line, without what differs between runs and builds: "AddressSanitizer:
// heap-use-after-free (READ of size 4)".
std::string report_title(const std::string& report);

}  // namespace rff
