#include "libsched/report/trace_writer.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include <cstring>

#include "libsched/engine/pending_threads.h"
#include "libsched/report/stack_walk.h"
#include "libsched/support/check.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/real.h"
#include "libsched/support/vector_state.h"
#include "libsched/support/words.h"
#include "schedule/hash.h"

namespace rff {
namespace {

constexpr std::size_t kFlushAt = 1 << 16;

// Reads up to 8 bytes of memory at `address`.
bool value_at(std::uint64_t address, std::uint32_t size, std::uint64_t* value) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t word = address & ~std::uint64_t{7};
  unsigned shift = static_cast<unsigned>(address & 7) * 8;
  if (size == 0 || size > 8 || !probe_word(word, &low)) {
    return false;
  }
  *value = low >> shift;
  if (shift + size * 8 > 64) {
    if (!probe_word(word + 8, &high)) {
      return false;
    }
    *value |= high << (64 - shift);
  }
  if (size < 8) {
    *value &= (std::uint64_t{1} << (size * 8)) - 1;
  }
  return true;
}

// Hashes more than 8 bytes, but no more than are compared in a moment.
bool content_at(std::uint64_t address, std::uint32_t size, std::uint64_t* hash) {
  constexpr std::uint32_t kMost = 1 << 16;
  if (size <= kWordBytes || size > kMost) {
    return false;
  }
  *hash = 0;
  bool readable = true;
  for_each_word(address, size, [&](std::uint64_t word, std::uint8_t mask) {
    std::uint64_t value = 0;
    readable = readable && probe_word(word, &value);
    *hash = *hash * kWordFactor + (value & bit_mask(mask));
  });
  return readable;
}

// Tells what was read or written, if it is readable.
void add_value(trace::EventInfo& info, std::uint64_t address, std::uint32_t size) {
  if (value_at(address, size, &info.value)) {
    info.flags |= trace::kValueKnown;
  } else if (content_at(address, size, &info.value)) {
    info.flags |= trace::kContentKnown;
  }
}

}  // namespace

TraceWriter::~TraceWriter() {
  if (enabled()) {
    own_descriptors::close(own_descriptors::kTrace);
  }
}

void TraceWriter::open(const char* path, bool everything, const Modules* callers) {
  everything_ = everything;
  modules_ = callers;
  long fd = real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path),
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    panic("cannot write the trace file ", path);
  }
  if (own_descriptors::keep(own_descriptors::kTrace, static_cast<int>(fd)) < 0) {
    panic("there is no descriptor left for the trace: allow more open files (ulimit -n)");
  }
  open_ = true;
  trace::TraceHeader header{};
  std::memcpy(header.magic, trace::kMagic, sizeof header.magic);
  header.version = trace::kVersion;
  buffer_.append(reinterpret_cast<const char*>(&header), sizeof header);
}

void TraceWriter::record(trace::RecordKind kind, const void* info, std::size_t size,
                         std::string_view text) {
  trace::RecordHeader header{kind, static_cast<std::uint32_t>(size + text.size())};
  buffer_.append(reinterpret_cast<const char*>(&header), sizeof header);
  buffer_.append(static_cast<const char*>(info), size);
  buffer_.append(text);
  if (buffer_.size() > kFlushAt) {
    flush();
  }
}

void TraceWriter::flush() {
  if (!enabled()) {
    return;
  }
  emit_held();
  int fd = own_descriptors::get(own_descriptors::kTrace);
  const char* p = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    long n = real::syscall6(SYS_write, fd, reinterpret_cast<long>(p), static_cast<long>(left));
    if (n <= 0) {
      panic("cannot write the trace file: is the disk full?");
    }
    p += n;
    left -= static_cast<std::size_t>(n);
  }
  buffer_.clear();
}

void TraceWriter::emit(const trace::EventInfo& info) {
  trace::RecordHeader header{trace::RecordKind::kEvent, sizeof info};
  buffer_.append(reinterpret_cast<const char*>(&header), sizeof header);
  buffer_.append(reinterpret_cast<const char*>(&info), sizeof info);
}

void TraceWriter::emit_held() {
  for (const trace::EventInfo& info : held_) {
    emit(info);
  }
  held_.clear();
  held_with_value_ = 0;
}

void TraceWriter::module(const trace::ModuleInfo& info, std::string_view path) {
  if (enabled()) {
    record(trace::RecordKind::kModule, &info, sizeof info, path);
  }
}

void TraceWriter::thread(const Thread& t) {
  if (enabled()) {
    trace::ThreadInfo info{
        t.index,      t.parent != nullptr ? t.parent->index : 0, t.created_at,         t.stack_low,
        t.stack_high, t.parent != nullptr ? callers_here() : 0,  t.attendant ? 1u : 0u};
    record(trace::RecordKind::kThread, &info, sizeof info, t.name);
  }
}

std::uint32_t TraceWriter::callers_here() {
  constexpr std::size_t kMostFrames = 24;
  static std::uint64_t frames[kMostFrames];
  static CodeName names[kMostFrames];
  if (modules_ == nullptr) {
    return 0;
  }
  // The unwinder uses vector registers, which the program may be using.
  static KeptVectors kept;
  std::size_t count = 0;
  keeping_vectors(kept, [&] { count = walk_stack(*modules_, here, frames, kMostFrames); });
  std::uint64_t hash = count;
  for (std::size_t i = 0; i < count; ++i) {
    names[i] = modules_->name(frames[i]);
    hash = hash_combine(hash, names[i].packed());
  }
  auto [it, fresh] = callers_.try_emplace(hash, static_cast<std::uint32_t>(callers_.size() + 1));
  if (fresh) {
    trace::CallersInfo info{it->second, 0};
    record(trace::RecordKind::kCallers, &info, sizeof info,
           {reinterpret_cast<const char*>(names), count * sizeof names[0]});
  }
  return it->second;
}

void TraceWriter::allocation(std::uint64_t step, std::uint64_t address, std::uint64_t size,
                             CodeName site) {
  trace::AllocationInfo info{step, address, size, site, callers_here(), 0};
  record(trace::RecordKind::kAllocation, &info, sizeof info);
}

void TraceWriter::memory_error(const trace::MemoryErrorInfo& info) {
  record(trace::RecordKind::kMemoryError, &info, sizeof info);
}

void TraceWriter::decision(std::uint64_t step, const Thread& previous, const Thread& chosen,
                           std::size_t enabled_threads) {
  if (enabled()) {
    bool could_go_on = previous.state == ThreadState::kPending &&
                       PendingThreads::can_take_effect(previous) && !previous.spin.spinning;
    trace::DecisionInfo info{step, chosen.index, static_cast<std::uint32_t>(enabled_threads),
                             previous.index, could_go_on && &previous != &chosen ? 1u : 0u};
    record(trace::RecordKind::kDecision, &info, sizeof info);
  }
}

void TraceWriter::event(const Thread& t, const Operation& op, std::uint64_t step) {
  if (!enabled()) {
    return;
  }
  emit_held();
  trace::EventInfo info{};
  info.step = step;
  info.thread = t.index;
  info.flags = trace::kSchedulingPoint | (t.index != last_thread_ ? trace::kSwitchedHere : 0u) |
               (op.timed_out ? trace::kTimedOutFlag : 0u) | (op.failed ? trace::kFailedFlag : 0u);
  last_thread_ = t.index;
  info.event = op.event;
  info.address = op.address;
  info.callers = callers_here();
  record(trace::RecordKind::kEvent, &info, sizeof info);
}

void TraceWriter::memory_event(const Thread& t, OpKind op, const AbstractEvent& e,
                               std::uint64_t address, std::uint64_t exact_name, std::uint64_t step,
                               bool point, const ReadSource& source) {
  if (!held_.empty() && (held_.back().thread != t.index || held_.back().event.site != e.site)) {
    emit_held();
  }
  std::uint32_t callers = callers_here();
  trace::EventInfo info{};
  info.step = step;
  info.thread = t.index;
  info.flags = (point ? trace::kSchedulingPoint : 0u) |
               (t.index != last_thread_ ? trace::kSwitchedHere : 0u) |
               (source.known ? trace::kReadsFromKnown : 0u) |
               (source.followed ? 0u : trace::kNotFollowed) |
               (source.unseen ? trace::kFromUnseen : 0u);
  last_thread_ = t.index;
  info.event = e;
  info.address = address;
  info.exact_name = exact_name;
  info.reads_from = source.step;
  info.source_site = source.site;
  info.source_thread = source.thread;
  info.source_op = static_cast<std::uint32_t>(source.op);
  info.callers = callers;
  if (op == OpKind::kRead) {
    add_value(info, address, e.size);
  }
  if (op == OpKind::kReadModifyWrite && value_at(address, e.size, &info.read_value)) {
    info.flags |= trace::kReadValueKnown;
  }
  held_.push_back(info);
  if (!op_writes(op) || op > OpKind::kReadModifyWrite) {
    emit_held();
  }
}

void TraceWriter::committed(std::uint64_t address, std::uint32_t size) {
  if (held_.empty()) {
    return;
  }
  add_value(held_[held_with_value_++], address, size);
  if (held_with_value_ == held_.size()) {
    emit_held();
  }
}

void TraceWriter::outcome(const trace::OutcomeInfo& info, std::string_view words) {
  if (enabled()) {
    record(trace::RecordKind::kOutcome, &info, sizeof info, words);
  }
}

void TraceWriter::stack(const trace::StackInfo& info, const void* bytes, std::size_t size) {
  if (enabled()) {
    record(trace::RecordKind::kStack, &info, sizeof info, {static_cast<const char*>(bytes), size});
  }
}

void TraceWriter::wait(const trace::WaitInfo& info) {
  if (enabled()) {
    record(trace::RecordKind::kWait, &info, sizeof info);
  }
}

void TraceWriter::divergence(const trace::DivergenceInfo& info) {
  if (enabled()) {
    record(trace::RecordKind::kDivergence, &info, sizeof info);
  }
}

void TraceWriter::outside(const trace::OutsideInfo& info, std::string_view what) {
  if (enabled()) {
    record(trace::RecordKind::kOutside, &info, sizeof info, what);
  }
}

void TraceWriter::further_source(std::uint64_t step, const ReadSource& source) {
  trace::SourceInfo info{step, source.step, source.site, source.thread,
                         static_cast<std::uint32_t>(source.op)};
  record(trace::RecordKind::kSource, &info, sizeof info);
}

void TraceWriter::file(const trace::FileInfo& info, std::string_view path) {
  if (enabled()) {
    record(trace::RecordKind::kFile, &info, sizeof info, path);
  }
}

void TraceWriter::note(std::string_view text) {
  if (enabled()) {
    record(trace::RecordKind::kNote, nullptr, 0, text);
  }
}

}  // namespace rff
