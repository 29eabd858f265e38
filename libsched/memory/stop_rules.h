// The stop points that the user chose (StopRule): which accesses and which entries of functions
// they are. Without any, every access that may race is a scheduling point, and no entry is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "libsched/memory/modules.h"
#include "schedule/schedule_file.h"

namespace rff {

// The functions that the running thread is in.
class StackReader {
 public:
  // Writes addresses inside the calls on the stack, innermost first; the first one is that of the
  // code that called the runtime. Returns their number, at most `most`.
  virtual std::size_t frames(std::uint64_t* frames, std::size_t most) = 0;

 protected:
  ~StackReader() = default;
};

class StopRules {
 public:
  explicit StopRules(const Modules& modules) : modules_(modules) {}
  // Removes its marks from the modules, which outlive the run.
  ~StopRules();
  StopRules(const StopRules&) = delete;
  StopRules& operator=(const StopRules&) = delete;

  // Begins a run. `points` must live as long as it lasts.
  void start(const SchedulingPoints& points);
  // Needed for rules that count only inside of functions; without it they never count.
  void set_stack(StackReader& stack) { stack_ = &stack; }
  void mark_new_modules() { mark(); }

  // Whether the user chose anything.
  bool chosen() const { return !rules_.empty(); }
  // Whether an access to any memory may be chosen, wherever the code is.
  bool by_address() const { return by_address_; }

  struct Access {
    CodeName site;
    std::uint64_t address = 0, size = 0;
    bool point = false;   // it would be a scheduling point if nothing had been chosen
    bool called = false;  // `site` is where a library function returns to
  };
  // Whether the run stops there. Requires: chosen().
  bool stops_at(const Access& access) const;
  bool stops_at_entry(CodeName site) const;
  // Whether some rule of memory has these bytes.
  bool has_memory(std::uint64_t address, std::uint64_t size) const;

 private:
  void mark();
  bool concerns(const StopRule& rule, const Access& access) const;
  bool inside(const StopRule& rule, CodeName code) const;

  const Modules& modules_;
  std::span<const StopRule> rules_;
  bool by_address_ = false;
  StackReader* stack_ = nullptr;
};

}  // namespace rff
