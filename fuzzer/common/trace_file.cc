#include "fuzzer/common/trace_file.h"

#include <algorithm>
#include <cstring>

namespace rff {
namespace {

using trace::RecordKind;

// The fixed part of a record, and the bytes that follow it.
template <typename T>
bool take(std::string_view payload, T* info, std::string_view* rest) {
  if (payload.size() < sizeof(T)) {
    return false;
  }
  std::memcpy(info, payload.data(), sizeof(T));
  *rest = payload.substr(sizeof(T));
  return true;
}

// Adds a module once, even if the trace mentions it repeatedly.
void add_module(Trace& t, std::string_view payload) {
  Trace::Module m;
  std::string_view path;
  if (!take(payload, &m.info, &path)) {
    return;
  }
  m.path = path;
  auto same = [&](const Trace::Module& k) {
    return k.info.hash == m.info.hash && k.info.bias == m.info.bias;
  };
  if (std::none_of(t.modules.begin(), t.modules.end(), same)) {
    t.modules.push_back(std::move(m));
  }
}

void add_thread(Trace& t, std::string_view payload) {
  Trace::Thread thread;
  std::string_view name;
  if (!take(payload, &thread.info, &name) || thread.info.thread >= (1u << 16)) {
    return;
  }
  thread.name = name;
  if (t.threads.size() <= thread.info.thread) {
    t.threads.resize(thread.info.thread + 1);
  }
  t.threads[thread.info.thread] = std::move(thread);
}

void add_stack(Trace& t, std::string_view payload) {
  Trace::Stack s;
  std::string_view bytes;
  if (take(payload, &s.registers, &bytes)) {
    s.bytes = bytes;
    t.stacks.push_back(std::move(s));
  }
}

void add_callers(Trace& t, std::string_view payload) {
  trace::CallersInfo info;
  std::string_view bytes;
  if (!take(payload, &info, &bytes) || info.number > t.callers.size() + 1) {
    return;  // numbers must be consecutive
  }
  t.callers.resize(std::max<std::size_t>(t.callers.size(), info.number + 1));
  std::vector<CodeName>& frames = t.callers[info.number];
  frames.resize(bytes.size() / sizeof(CodeName));
  std::memcpy(frames.data(), bytes.data(), frames.size() * sizeof(CodeName));
}

// Appends a record that has a fixed part only.
template <typename T>
void append(std::vector<T>& records, std::string_view payload) {
  T record;
  std::string_view rest;
  if (take(payload, &record, &rest)) {
    records.push_back(record);
  }
}

void add_record(Trace& t, RecordKind kind, std::string_view payload) {
  std::string_view rest;
  switch (kind) {
    case RecordKind::kModule: add_module(t, payload); break;
    case RecordKind::kThread: add_thread(t, payload); break;
    case RecordKind::kEvent: append(t.events, payload); break;
    case RecordKind::kDecision: append(t.decisions, payload); break;
    case RecordKind::kOutcome: {
      trace::OutcomeInfo o;
      if (take(payload, &o, &rest)) {
        t.outcome = o;
      }
      break;
    }
    case RecordKind::kStack: add_stack(t, payload); break;
    case RecordKind::kWait: {
      Trace::Wait w;
      if (take(payload, &w.info, &rest)) {
        t.waits.push_back(w);
      }
      break;
    }
    case RecordKind::kDivergence: {
      Trace::Divergence d;
      if (take(payload, &d.info, &rest) && !t.divergence) {
        t.divergence = d;
      }
      break;
    }
    case RecordKind::kCallers: add_callers(t, payload); break;
    case RecordKind::kAllocation: append(t.allocations, payload); break;
    case RecordKind::kMemoryError: {
      trace::MemoryErrorInfo m;
      if (take(payload, &m, &rest)) {
        make_known(m.facts);
        t.memory_error = m;
      }
      break;
    }
    case RecordKind::kOutside: {
      Trace::Outside o;
      if (take(payload, &o.info, &rest)) {
        o.what = rest;
        t.outside.push_back(std::move(o));
      }
      break;
    }
    case RecordKind::kFile: {
      trace::FileInfo info{};
      if (take(payload, &info, &rest)) {
        t.files.try_emplace(info.name, rest);
      }
      break;
    }
    case RecordKind::kSource: append(t.further_sources, payload); break;
    case RecordKind::kNote: t.notes.emplace_back(payload); break;
  }
}

}  // namespace

const std::string& Trace::thread_name(std::uint32_t thread) const {
  static const std::string kUnknown = "?";
  return thread < threads.size() && !threads[thread].name.empty() ? threads[thread].name : kUnknown;
}

const trace::EventInfo* Trace::at_step(std::uint64_t step) const {
  auto it = std::lower_bound(events.begin(), events.end(), step,
                             [](const trace::EventInfo& e, std::uint64_t s) { return e.step < s; });
  return it != events.end() && it->step == step ? &*it : nullptr;
}

const Trace::Wait* Trace::wait_of(std::uint32_t thread) const {
  for (const Wait& w : waits) {
    if (w.info.thread == thread) {
      return &w;
    }
  }
  return nullptr;
}

Trace read_trace(std::string_view bytes, std::string& error) {
  Trace t;
  trace::TraceHeader header;
  std::string_view rest;
  if (!take(bytes, &header, &rest)) {
    return t;
  }
  if (std::memcmp(header.magic, trace::kMagic, sizeof header.magic) != 0) {
    error = "is no trace";
    return t;
  }
  if (header.version != trace::kVersion) {
    error = "has version " + std::to_string(header.version) + ", and this rff reads version " +
            std::to_string(trace::kVersion) + ": libsched.so is of another version";
    return t;
  }
  trace::RecordHeader record;
  std::string_view payload;
  while (take(rest, &record, &payload) && payload.size() >= record.bytes) {
    add_record(t, record.kind, payload.substr(0, record.bytes));
    rest = payload.substr(record.bytes);
  }
  return t;
}

}  // namespace rff
