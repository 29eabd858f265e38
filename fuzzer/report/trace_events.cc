#include "fuzzer/report/trace_events.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace rff {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kProcess = 1;

// Thread numbers in the file begin with 1: viewers give 0 another meaning.
std::uint32_t number_of(std::uint32_t thread) { return thread + 1; }

Json base(const char* phase, std::uint32_t thread, std::uint64_t step) {
  return {{"ph", phase}, {"pid", kProcess}, {"tid", number_of(thread)}, {"ts", step}};
}

class Timeline {
 public:
  explicit Timeline(const FindingReport& report) : report_(report) {}

  std::string write() {
    name_threads();
    std::size_t count = report_.details->events();
    for (std::size_t i = 0; i < count; ++i) {
      steps_.insert(report_.details->step(i));
      end_ = std::max(end_, report_.details->step(i) + 1);
    }
    for (std::size_t i = 0; i < count; ++i) {
      add(report_.details->tell(i), report_.details->taken_before(i));
    }
    for (std::uint32_t thread = 0; thread < report_.threads.size(); ++thread) {
      add_last_wait(thread);
    }
    add_failure();
    Json file;
    file["displayTimeUnit"] = "ms";
    file["otherData"] = {{"program", report_.program},
                         {"rff", RFF_VERSION},
                         {"unit", "a microsecond is one step of the run"}};
    file["traceEvents"] = std::move(events_);
    return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  void name_threads() {
    auto meta = [&](const char* name, std::uint32_t thread, const Json& arguments) {
      Json j = base("M", thread, 0);
      j["name"] = name;
      j["args"] = arguments;
      events_.push_back(j);
    };
    meta("process_name", 0, {{"name", report_.program}});
    for (std::uint32_t i = 0; i < report_.threads.size(); ++i) {
      meta("thread_name", i, {{"name", report_.thread_name(i)}});
      meta("thread_sort_index", i, {{"sort_index", i}});
    }
  }

  void add(const StoryEvent& e, std::uint64_t taken) {
    std::uint64_t& free_from = free_from_[e.thread];
    // It was blocked from the moment at which another thread took what it now has.
    std::uint64_t blocked = std::max(free_from, taken);
    if (taken > 0 && blocked < e.step && e.switched) {
      add_slice(e.thread, blocked, e.step, "waits for " + (e.location.empty() ? "it" : e.location),
                "blocked", Json::object());
    }
    Json arguments = {{"step", e.step}, {"place", e.place.text()}};
    for (const auto& [name, text] :
         {std::pair{"value", e.value}, {"read_value", e.read_value}, {"source", e.source}}) {
      if (!text.empty()) {
        arguments[name] = text;
      }
    }
    add_slice(e.thread, e.step, e.step + 1, e.what, op_accesses(e.event.op) ? "memory" : "thread",
              arguments);
    if (e.from == From::kOtherThread && steps_.contains(e.from_step)) {
      add_arrow(e);
    }
    free_from = e.step + 1;
  }

  void add_slice(std::uint32_t thread, std::uint64_t from, std::uint64_t to,
                 const std::string& name, const char* category, const Json& arguments) {
    Json j = base("X", thread, from);
    j["dur"] = to - from;
    j["name"] = name;
    j["cat"] = category;
    j["args"] = arguments;
    events_.push_back(j);
  }

  void add_arrow(const StoryEvent& e) {
    ++arrows_;
    Json begin = base("s", e.from_thread, e.from_step);
    Json end = base("f", e.thread, e.step);
    end["bp"] = "e";
    for (Json* j : {&begin, &end}) {
      (*j)["id"] = arrows_;
      (*j)["name"] = "reads from";
      (*j)["cat"] = "reads-from";
      events_.push_back(*j);
    }
  }

  void add_last_wait(std::uint32_t thread) {
    const std::optional<ReportedWait>& wait = report_.threads[thread].wait;
    if (wait && wait->blocked) {
      std::uint64_t from = std::max(free_from_[thread], wait->since);
      std::string what = wait->what + (wait->object.empty() ? "" : " " + wait->object);
      Json arguments = {{"place", wait->place.text()}};
      if (!wait->held_by.empty()) {
        arguments["held_by"] = wait->held_by;
      }
      add_slice(thread, std::min(from, end_), end_ + 1, "waits for " + what, "blocked", arguments);
    }
  }

  void add_failure() {
    if (report_.failed()) {
      Json j = base("i", report_.ended_by.value_or(0), end_);
      j["s"] = "g";
      j["name"] = std::string(finding_name(report_.kind)) + ": " + report_.summary;
      j["cat"] = "failure";
      events_.push_back(j);
    }
  }

  const FindingReport& report_;
  Json events_ = Json::array();
  std::set<std::uint64_t> steps_;
  std::map<std::uint32_t, std::uint64_t> free_from_;  // the step after a thread's last event
  std::uint64_t end_ = 0;
  std::uint64_t arrows_ = 0;
};

}  // namespace

std::string write_trace_events(const FindingReport& report) { return Timeline(report).write(); }

}  // namespace rff
