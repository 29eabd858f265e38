#include "fuzzer/drive/session.h"

#include <algorithm>
#include <utility>

#include "fuzzer/run/runner.h"
#include "schedule/search_choice.h"

namespace rff {

using driving::Answer;
using driving::AnswerKind;
using driving::PointThread;

namespace {

bool choosable(const PointThread& t) { return (t.flags & driving::kChoosable) != 0; }

// Sets the scheduler of a name. Returns why that is impossible; empty if it is done.
std::string choose_scheduler(Schedule& schedule, const std::string& name) {
  if (schedule.scheduler == SchedulerKind::kSystematic) {
    return "a run of the systematic search can only be finished by f without a name";
  }
  if (name == scheduler_name(SchedulerKind::kSteady)) {
    return "";
  }
  ParsedChoice parsed = parse_search(name);
  if (!parsed.choice) {
    return "f takes a scheduler: " + parsed.error;
  }
  if (parsed.choice->scheduler == SchedulerKind::kSystematic) {
    return "f takes a scheduler of single runs, which systematic is not";
  }
  schedule.scheduler = parsed.choice->scheduler;
  schedule.pct_depth = parsed.choice->depth;
  schedule.delay_bound = parsed.choice->bound;
  return "";
}

}  // namespace

Session::Session(PreparedDrive prepared, std::string launcher, std::function<bool()> stop)
    : prepared_(std::move(prepared)),
      launcher_(std::move(launcher)),
      stop_(std::move(stop)),
      given_(prepared_.given) {
  begin(prepared_.base);
}

const std::vector<PointThread>& Session::threads() const {
  static const std::vector<PointThread> kNone;
  return ended_ ? kNone : live_->threads();
}

const PointThread* Session::find(std::uint32_t thread) const {
  for (const PointThread& t : threads()) {
    if (t.index == thread) {
      return &t;
    }
  }
  return nullptr;
}

void Session::begin(const Schedule& schedule) {
  live_.reset();  // the old run must not hold files that the new one needs
  live_ = std::make_unique<LiveRun>(schedule, launcher_);
  ++runs_;
  history_.clear();
  ended_.reset();
  given_.restart();
  redo_.restart();
  step_ = 0;
  replaying_ = true;
  arrive(wait());
  replaying_ = false;
}

// On the way to a known step the first interruption only ends what would follow.
LiveRun::Stand Session::wait() {
  LiveRun::Stand stand =
      live_->wait([&] { return stop_() && (!replaying_ || std::exchange(stopped_, true)); });
  if (stand == LiveRun::Stand::kBusy && replaying_) {
    live_->kill();
    return LiveRun::Stand::kEnded;
  }
  return stand;
}

void Session::arrive(LiveRun::Stand stand) {
  if (stand == LiveRun::Stand::kEnded) {
    ended_ = live_->result();
  } else {
    step_ = live_->point().point;
    for (const PointThread& t : live_->threads()) {
      names_[t.index] = t.name.view();
    }
  }
  given_.update(live_->shared().run);
  redo_.update(live_->shared().run);
}

bool Session::advance(const Answer& answer) {
  std::vector<PointThread> before = live_->threads();
  const auto& decisions = live_->shared().run.decisions;
  std::size_t made = decisions.size();
  std::uint64_t point = live_->point().point;
  std::size_t events = live_->shared().run.steps.size();
  bool single = answer.kind == AnswerKind::kThread || answer.until == point + 1;
  bool choice = (live_->point().flags & driving::kSeveral) != 0;
  live_->answer(answer);
  LiveRun::Stand stand = wait();
  if (stand == LiveRun::Stand::kBusy) {
    auto first = decisions.begin();
    replay(with_prefix({first, first + static_cast<std::ptrdiff_t>(made)}), point);
    stopped_ = true;
    return false;
  }
  arrive(stand);
  if (!single) {
    history_.clear();
  } else if (!killed()) {
    step_ = point + 1;
    std::uint32_t moved = answer.thread;
    if (answer.kind != AnswerKind::kThread) {
      auto only = std::find_if(before.begin(), before.end(), choosable);
      moved = choice ? (decisions.end() - 1)->thread : only->index;
    }
    remember(moved, before, events);
  }
  return !ended_;
}

void Session::remember(std::uint32_t thread, const std::vector<PointThread>& before,
                       std::size_t from) {
  auto it = std::find_if(before.begin(), before.end(),
                         [&](const PointThread& t) { return t.index == thread; });
  if (it == before.end()) {
    return;
  }
  Made made{.number = step_, .thread = *it, .value = std::nullopt};
  const auto& steps = live_->shared().run.steps;
  for (std::size_t i = from; i < steps.size() && !made.value; ++i) {
    const Step& s = steps.items[i];
    // A record holds the bytes at their place in the word; of two words it holds only the first.
    std::uint64_t in_word = s.address % sizeof s.value;
    if (s.thread == thread && s.address == it->address && op_accesses(it->event.op) &&
        in_word + it->bytes <= sizeof s.value) {
      made.value = s.value >> (8 * in_word);
    }
  }
  history_.push_back(made);
  if (history_.size() > kHistory) {
    history_.pop_front();
  }
}

bool Session::make_step(std::uint32_t thread) {
  return advance({.kind = AnswerKind::kThread, .thread = thread, .until = 0});
}

bool Session::let_scheduler_step() {
  return advance({.kind = AnswerKind::kSchedule, .thread = 0, .until = live_->point().point + 1});
}

void Session::look() {
  stopped_ = false;
  if (!ended_ && !live_->alive()) {
    ended_ = live_->result();
  }
}

std::optional<std::uint32_t> Session::as_in(const Path& path) const {
  if ((live_->point().flags & driving::kSeveral) == 0) {
    auto only = std::find_if(threads().begin(), threads().end(), choosable);
    return only == threads().end() ? std::nullopt : std::optional(only->index);
  }
  const Decision* d = path.next();
  const PointThread* t = d != nullptr ? find(d->thread) : nullptr;
  bool same = t != nullptr && choosable(*t) && d->check.matches(t->event_id);
  return same ? std::optional(t->index) : std::nullopt;
}

std::optional<std::uint32_t> Session::next() const {
  if (ended_) {
    return std::nullopt;
  }
  if (std::optional<std::uint32_t> thread = as_in(given_)) {
    return thread;
  }
  const PointThread* last = find(last_thread());
  if (last != nullptr && choosable(*last)) {
    return last->index;
  }
  auto first = std::find_if(threads().begin(), threads().end(), choosable);
  return first == threads().end() ? std::nullopt : std::optional(first->index);
}

std::string Session::step(std::uint32_t thread) {
  if (ended_) {
    return "the run has ended: b goes back, r N goes to step N";
  }
  const PointThread* t = find(thread);
  if (t == nullptr) {
    return names_.at(thread) + " does not run now: it has ended or is not created yet";
  }
  if (!choosable(*t)) {
    return std::string(t->name.view()) +
           ((t->flags & driving::kEnabled) != 0
                ? " only repeats a loop: it can go on when no other thread can"
                : " cannot go on: it waits (w says for what)");
  }
  make_step(thread);
  return stopped_ ? "interrupted: the thread did not come to its next step" : "";
}

std::string Session::run_until(const Choose& choose, const std::function<bool()>& reached) {
  while (!ended_) {
    std::optional<std::uint32_t> thread = choose();
    if (!thread) {
      return "";
    }
    bool goes_on = make_step(*thread);
    if (ended_ || reached()) {
      return "";
    }
    if (!goes_on || stop_()) {
      return "interrupted";
    }
  }
  return "the run has ended: b goes back, r N goes to step N";
}

std::string Session::go(std::uint32_t thread) {
  const PointThread* t = find(thread);
  if (ended_ || t == nullptr || !choosable(*t)) {
    return step(thread);  // which says why not
  }
  auto again = [&]() -> std::optional<std::uint32_t> {
    const PointThread* now = find(thread);
    return now != nullptr && choosable(*now) ? std::optional(thread) : std::nullopt;
  };
  return run_until(again, [] { return false; });
}

Schedule Session::with_prefix(std::vector<Decision> prefix) const {
  Schedule schedule = prepared_.base;
  schedule.prefix = std::move(prefix);
  return schedule;
}

void Session::replay(const Schedule& schedule, std::uint64_t step) {
  begin(schedule);
  replaying_ = true;
  std::uint64_t silent = step > kHistory ? step - kHistory : 0;
  bool goes_on = !ended_;
  if (goes_on && silent > 0) {
    goes_on = advance({.kind = AnswerKind::kSchedule, .thread = 0, .until = silent});
  }
  while (goes_on && step_ < step) {
    goes_on = let_scheduler_step();
  }
  replaying_ = false;
  output_ = {.anew = true, .repeated = live_->new_output(), .fresh = ""};
}

Session::Output Session::take_output() {
  output_.fresh = live_->new_output();
  return std::exchange(output_, {});
}

std::string Session::go_to(std::uint64_t step) {
  constexpr char kChanges[] = "the program did not repeat its run: it depends on something outside";
  if (step < step_ || killed()) {
    std::vector<Decision> made = live_->decisions();
    bool known = redo_.followed();
    std::uint64_t wanted = std::min(step, step_);
    replay(with_prefix(made), wanted);
    if (!known) {
      redo_ = Path(std::move(made));
      redo_.update(live_->shared().run);
    }
    return step_ == wanted && redo_.followed() ? "" : kChanges;
  }
  while (step_ < step && !ended_) {
    std::optional<std::uint32_t> thread = as_in(given_);
    thread = thread ? thread : as_in(redo_);
    if (!thread) {
      return "no run is known beyond step " + std::to_string(step_) + ": choose a thread";
    }
    if (!make_step(*thread) && stopped_) {
      return "interrupted";
    }
  }
  return step_ < step ? "the run ends after step " + std::to_string(step_) : "";
}

std::string Session::finish(const std::string& scheduler) {
  if (ended_) {
    return "the run has ended: b goes back, r N goes to step N";
  }
  if (scheduler.empty()) {
    return run_until([&] { return next(); }, [] { return false; });
  }
  Schedule schedule = with_prefix(live_->decisions());
  if (std::string error = choose_scheduler(schedule, scheduler); !error.empty()) {
    return error;
  }
  replay(schedule, step_);
  while (!ended_) {
    if (stopped_ || stop_()) {
      return "interrupted";
    }
    let_scheduler_step();
  }
  return "";
}

Schedule Session::saved() const {
  Schedule schedule = with_prefix(suspended_.empty() ? live_->decisions() : suspended_);
  schedule.target.path = prepared_.program;
  if (ended_ && ended_->failed()) {
    schedule.prefix.clear();
    schedule.finding = ended_->finding;
  }
  return schedule;
}

Run Session::traced() const {
  Runner runner({.launcher = launcher_, .tracing = Runner::Tracing::kShared, .tee_output = true});
  Schedule schedule = saved();
  schedule.target.path = prepared_.base.target.path;
  return runner.run(schedule);
}

void Session::suspend() {
  suspended_ = live_->decisions();
  live_.reset();
}

void Session::resume() {
  std::vector<Decision> made = std::exchange(suspended_, {});
  replay(with_prefix(std::move(made)), step_);
}

}  // namespace rff
