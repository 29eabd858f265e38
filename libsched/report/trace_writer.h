// Writes the trace of a run (schedule/trace.h) if one was requested; costs nothing otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libsched/memory/event_listener.h"
#include "libsched/memory/modules.h"
#include "schedule/trace.h"

namespace rff {

class TraceWriter : public EventListener {
 public:
  TraceWriter() = default;
  ~TraceWriter() override;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // `everything`: includes private accesses. `callers`: writes the callers of each event, in these
  // modules; null: no callers.
  void open(const char* path, bool everything, const Modules* callers);
  bool enabled() const { return open_; }
  bool everything() const { return everything_; }
  bool callers() const { return modules_ != nullptr; }

  void module(const trace::ModuleInfo& info, std::string_view path);
  void thread(const Thread& t);
  // Requires: callers() are written. `here` as for events.
  void allocation(std::uint64_t step, std::uint64_t address, std::uint64_t size, CodeName site);
  // Returns the number of the callers of `here`; 0 if callers are not written.
  std::uint32_t callers_of_here() { return callers_here(); }
  void memory_error(const trace::MemoryErrorInfo& info);
  void decision(std::uint64_t step, const Thread& previous, const Thread& chosen,
                std::size_t enabled);
  void event(const Thread& t, const Operation& op, std::uint64_t step) override;
  void memory_event(const Thread& t, OpKind op, const AbstractEvent& e, std::uint64_t address,
                    std::uint64_t exact_name, std::uint64_t step, bool point,
                    const ReadSource& source) override;
  void further_source(std::uint64_t step, const ReadSource& source) override;
  void committed(std::uint64_t address, std::uint32_t size) override;
  void outcome(const trace::OutcomeInfo& info, std::string_view words);
  void stack(const trace::StackInfo& info, const void* bytes, std::size_t size);
  void wait(const trace::WaitInfo& info);
  void divergence(const trace::DivergenceInfo& info);
  void file(const trace::FileInfo& info, std::string_view path);
  void note(std::string_view text);
  void outside(const trace::OutsideInfo& info, std::string_view what);
  void flush();

 private:
  void record(trace::RecordKind kind, const void* info, std::size_t size,
              std::string_view text = {});
  void emit(const trace::EventInfo& info);
  void emit_held();
  // Returns the number of the callers from `here` on; 0 if they are not written.
  std::uint32_t callers_here();

  bool open_ = false;
  bool everything_ = false;
  const Modules* modules_ = nullptr;
  std::map<std::uint64_t, std::uint32_t> callers_;  // by hash of the frames
  std::string buffer_;
  std::uint32_t last_thread_ = ~0u;
  // Writes of the last instruction, held back until all values are known.
  std::vector<trace::EventInfo> held_;
  std::size_t held_with_value_ = 0;
};

}  // namespace rff
