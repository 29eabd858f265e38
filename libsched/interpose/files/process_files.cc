// Files below /proc/self and its threads. What varies from run to run has one value here: numbers
// of processes, times, amounts of memory, counts of faults and switches.
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "libsched/interpose/files/kernel_text.h"
#include "libsched/interpose/files/machine_files.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/process/machine.h"
#include "libsched/interpose/process/processors.h"

namespace rff {
namespace {

constexpr std::uint64_t kTicks = 100;  // a second
constexpr char kMemory[] = "  100000 kB";

// Names the thread that the path asks about: `self` for the process.
struct Subject {
  const Thread* thread;
  pid_t id() const { return identity::kProcess + static_cast<pid_t>(thread->index); }
};

std::string number(pid_t id) { return std::to_string(id); }

std::string status_value(std::string_view name, const Subject& s) {
  struct Row {
    std::string_view name;
    std::string value;
  };
  const Row rows[] = {
      {"State", "R (running)"},
      {"Tgid", number(identity::kProcess)},
      {"Ngid", "0"},
      {"Pid", number(s.id())},
      {"PPid", number(identity::kParent)},
      {"TracerPid", "0"},
      {"FDSize", "64"},
      {"NStgid", number(identity::kProcess)},
      {"NSpid", number(s.id())},
      {"NSpgid", number(identity::kGroup)},
      {"NSsid", number(identity::kGroup)},
      {"Threads", std::to_string(runtime->run.execution.live())},
      {"SigQ", "0/65536"},
      {"SigPnd", "0000000000000000"},
      {"ShdPnd", "0000000000000000"},
      {"Cpus_allowed", processor_mask(*s.thread)},
      {"Cpus_allowed_list", processor_list(*s.thread)},
      {"Mems_allowed", "1"},
      {"Mems_allowed_list", "0"},
      {"voluntary_ctxt_switches", "0"},
      {"nonvoluntary_ctxt_switches", "0"},
  };
  for (const Row& row : rows) {
    if (row.name == name) {
      return row.value;
    }
  }
  return name.starts_with("Vm") || name.starts_with("Rss") ? kMemory : "";
}

std::string status(const Subject& s) {
  std::string real = kernel_text("/proc/self/status");
  std::string text;
  for (std::string_view rest = real; !rest.empty();) {
    std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    std::string_view name = line.substr(0, line.find(':'));
    std::string value = status_value(name, s);
    text += value.empty() ? std::string(line) : std::string(name) + ":\t" + value;
    text += "\n";
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  return text;
}

// Fields are counted from 1, as in proc(5). Those of addresses are the real ones.
std::string stat(const Subject& s) {
  std::string real = kernel_text("/proc/self/stat");
  std::size_t name_end = real.rfind(')');
  std::size_t name = real.find('(');
  if (name_end == real.npos || name == real.npos) {
    return real;
  }
  std::uint64_t variables = runtime->process.first_variables().size(), begin = 0;
  auto value = [&](int field, std::string_view kept) -> std::string {
    switch (field) {
      case 50: begin = std::strtoull(std::string(kept).c_str(), nullptr, 10); break;
      case 51: return variables == 0 ? std::string(kept) : std::to_string(begin + variables);
      case 3: return "R";
      case 4: return number(identity::kParent);
      case 5:
      case 6: return number(identity::kGroup);
      case 8: return "-1";
      case 14: return std::to_string(runtime->run.execution.now * kTicks / machine::kSecond);
      case 18: return "20";
      case 20: return std::to_string(runtime->run.execution.live());
      case 22: return std::to_string(machine::kBoot * kTicks / machine::kSecond);
      case 23: return "102400000";
      case 24: return "25000";
      case 38: return "17";
      case 39: return std::to_string(current_processor());
      default: break;
    }
    bool is_address = (field >= 26 && field <= 28) || (field >= 45 && field <= 51);
    return is_address || field == 25 ? std::string(kept) : "0";
  };
  std::string text = number(s.id()) + " " + real.substr(name, name_end + 1 - name);
  std::string_view rest = std::string_view(real).substr(name_end + 1);
  for (int field = 3; rest.size() > 1 && rest[0] == ' '; ++field) {
    rest.remove_prefix(1);
    std::size_t end = rest.find_first_of(" \n");
    text += " " + value(field, rest.substr(0, end));
    rest = end == rest.npos ? std::string_view() : rest.substr(end);
  }
  return text + "\n";
}

std::string environment(const Subject&) {
  std::string text = runtime->process.first_variables();
  return text.empty() ? kernel_text("/proc/self/environ") : text;
}

struct NamedFile {
  std::string_view name;
  std::string (*text)(const Subject&);
};
constexpr NamedFile kFiles[] = {
    {"status", status},
    {"stat", stat},
    {"environ", environment},
    {"statm", [](const Subject&) { return std::string("25000 25000 1000 100 0 20000 0\n"); }},
    {"schedstat", [](const Subject&) { return std::string("0 0 0\n"); }},
    {"cgroup", [](const Subject&) { return std::string("0::/\n"); }},
    {"cpuset", [](const Subject&) { return std::string("/\n"); }},
    {"oom_score", [](const Subject&) { return std::string("0\n"); }},
};

MachineEntry file_of(std::string_view name, const Subject& s) {
  for (const NamedFile& file : kFiles) {
    if (file.name == name) {
      return MachineEntry::file(file.text(s));
    }
  }
  return {};
}

// Threads are known by the numbers that the program sees, and only those that live.
MachineEntry task_entry(const std::string& name) {
  const std::vector<Thread*>& threads = runtime->run.execution.threads();
  if (name.empty()) {
    std::vector<std::string> names;
    for (const Thread* t : threads) {
      if (t->state != ThreadState::kEnded) {
        names.push_back(number(Subject{t}.id()) + "/");
      }
    }
    return MachineEntry::folder(std::move(names));
  }
  std::size_t slash = name.find('/');
  pid_t id = std::atoi(name.c_str());
  if (id == 0 || !identity::own_thread(id)) {
    return MachineEntry::missing();
  }
  const Thread* thread = threads[static_cast<std::size_t>(id - identity::kProcess)];
  if (slash == name.npos) {
    std::vector<std::string> names;
    for (const NamedFile& file : kFiles) {
      names.emplace_back(file.name);
    }
    return MachineEntry::folder(std::move(names));
  }
  MachineEntry entry = file_of(std::string_view(name).substr(slash + 1), {thread});
  return entry.kind == MachineEntry::Kind::kReal ? MachineEntry::missing() : entry;
}

}  // namespace

MachineEntry process_entry(const std::string& name) {
  if (name == "task" || name.starts_with("task/")) {
    return task_entry(name.size() > 5 ? name.substr(5) : "");
  }
  return file_of(name, {runtime->run.execution.threads()[0]});
}

}  // namespace rff
