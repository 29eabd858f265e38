#include "fuzzer/afl/plan_exchange.h"

#include <algorithm>

#include "fuzzer/common/unseen_modules.h"
#include "schedule/byte_stream.h"

namespace rff {
namespace {

constexpr std::size_t kMost = 1 << 20;  // of anything in a message

template <typename T>
void write_list(std::span<const T> list, ByteWriter& w) {
  static_assert(std::is_trivially_copyable_v<T>);
  w.number(static_cast<std::uint32_t>(list.size()));
  w.bytes({reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)});
}

// The schedule with its scheduling points, for a process that knows others.
Schedule standalone(Schedule schedule, std::span<const std::uint64_t> points) {
  schedule.points.listed = true;
  for (std::uint64_t packed : points) {
    PointName point = PointName::unpack(packed);
    (point.handed_over ? schedule.points.handed_over : schedule.points.sites).push_back(point.site);
  }
  for (auto* list : {&schedule.points.sites, &schedule.points.handed_over}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return schedule;
}

}  // namespace

std::string encode_run(const ReceivedRun& received, const RunSummary& run) {
  std::string bytes;
  ByteWriter w(bytes);
  w.number(received.plan);
  w.boolean(received.usable);
  w.records(received.points);
  w.texts(received.unmodelled_calls);
  w.texts(received.unpatched_modules);
  if (received.usable) {
    w.number(run.outcome);
    w.number(run.finding);
    w.number(run.flags);
    w.boolean(run.cut_short);
    w.number(run.rf_combination);
    w.number(run.scheduling_points);
    write_list(run.events, w);
    write_list(run.steps, w);
    write_list(run.considered, w);
    write_list(run.world_choices, w);
  }
  return bytes;
}

std::optional<ReceivedRun> decode_run(std::string_view bytes) {
  ReceivedRun received;
  RunSummary& run = received.run;
  ByteReader r(bytes);
  r.number(received.plan, "plan");
  r.boolean(received.usable, "run");
  r.records(received.points, kMost, "points");
  r.texts(received.unmodelled_calls, "calls");
  r.texts(received.unpatched_modules, "modules");
  if (received.usable) {
    r.number(run.outcome, "run");
    r.number(run.finding, "run");
    r.number(run.flags, "run");
    r.boolean(run.cut_short, "run");
    r.number(run.rf_combination, "run");
    r.number(run.scheduling_points, "run");
    r.records(received.events, kMost, "events");
    r.records(received.steps, kMost, "steps");
    r.records(received.considered, kMost, "considered actions");
    r.records(received.world_choices, kMost, "choices");
  }
  return r.ok() && r.at_end() ? std::optional(std::move(received)) : std::nullopt;
}

PlanGiver::PlanGiver(SharedMapping memory, std::uint32_t others) : memory_(std::move(memory)) {
  for (std::uint32_t i = 0; i < others; ++i) {
    others_.push_back({memory_.as<PlanChannel>() + i, {}});
    others_.back().channel->records.drop_all();
  }
}

bool PlanGiver::has_room() const {
  return std::any_of(others_.begin(), others_.end(),
                     [](const Other& o) { return o.has.size() < kWaiting; });
}

void PlanGiver::give(const std::vector<Schedule>& schedules, std::span<const std::uint64_t> used) {
  for (const Schedule& schedule : schedules) {
    if (is_out(schedule)) {
      continue;
    }
    auto idlest = std::min_element(
        others_.begin(), others_.end(),
        [](const Other& a, const Other& b) { return a.has.size() < b.has.size(); });
    if (idlest->has.size() >= kWaiting ||
        !idlest->channel->plans.put(encode_schedule(standalone(schedule, used)))) {
      return;
    }
    idlest->has.push_back(schedule.exploration.seed);
    out_.emplace(schedule.exploration.seed, schedule);
  }
}

void PlanGiver::take(const std::function<void(const Schedule*, ReceivedRun&)>& learn) {
  for (Other& other : others_) {
    while (std::optional<std::string> bytes = other.channel->records.take()) {
      std::optional<ReceivedRun> received = decode_run(*bytes);
      if (!received) {
        continue;
      }
      RunSummary& run = received->run;
      run.events = received->events;
      run.steps = received->steps;
      run.considered = received->considered;
      run.world_choices = received->world_choices;
      // An instance answers in order: what it had before and did not answer is lost.
      auto answered = std::find(other.has.begin(), other.has.end(), received->plan);
      std::map<std::uint64_t, Schedule>::node_type schedule;
      if (answered != other.has.end()) {
        schedule = out_.extract(received->plan);
        for (auto it = other.has.begin(); it != answered; ++it) {
          out_.erase(*it);
        }
        other.has.erase(other.has.begin(), answered + 1);
      }
      learn(schedule.empty() ? nullptr : &schedule.mapped(), *received);
    }
  }
}

PlanTaker::PlanTaker(SharedMapping memory, std::uint32_t index)
    : memory_(std::move(memory)), channel_(memory_.as<PlanChannel>()[index - 1]) {}

std::optional<Schedule> PlanTaker::take() {
  std::optional<std::string> bytes = channel_.plans.take();
  return bytes ? decode_schedule(*bytes).schedule : std::nullopt;
}

void PlanTaker::answer(const Schedule& schedule, const RunSummary& run,
                       const SharedMemory& shared) {
  ReceivedRun answer;
  answer.plan = schedule.exploration.seed;
  answer.usable = run.usable();
  std::uint32_t points = shared.points.size();
  answer.points.assign(shared.points.begin() + points_sent_, shared.points.begin() + points);
  for (const auto& call : shared.unmodelled_calls) {
    answer.unmodelled_calls.emplace_back(call.view());
  }
  for (const ModuleRecord& module : shared.modules) {
    if (is_unseen(module)) {
      answer.unpatched_modules.emplace_back(module.path.view());
    }
  }
  bool sent = channel_.records.put(encode_run(answer, run));
  if (!sent && answer.usable) {
    answer.usable = false;  // there is no room for so much
    sent = channel_.records.put(encode_run(answer, run));
  }
  points_sent_ = sent ? points : points_sent_;
}

}  // namespace rff
