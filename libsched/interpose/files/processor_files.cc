// Files and folders in which the kernel describes the processors: /proc/cpuinfo, and below /sys
// those of processors, memory nodes and control groups.
#include <cctype>
#include <optional>
#include <string_view>

#include "libsched/interpose/files/kernel_text.h"
#include "libsched/interpose/files/machine_files.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/machine.h"
#include "libsched/interpose/process/processors.h"

namespace rff {
namespace {

// Returns a line "name   : value" of /proc/cpuinfo with the value of processor `number`.
std::string processor_line(std::string_view line, unsigned number) {
  std::string_view name = line.substr(0, line.find_first_of("\t:"));
  struct Field {
    std::string_view name;
    std::string value;
  };
  const Field fields[] = {
      {"processor", std::to_string(number)},       {"physical id", "0"},
      {"siblings", std::to_string(processors())},  {"core id", std::to_string(number)},
      {"cpu cores", std::to_string(processors())}, {"apicid", std::to_string(number)},
      {"initial apicid", std::to_string(number)},  {"cpu MHz", "1000.000"},
  };
  for (const Field& field : fields) {
    if (name == field.name) {
      return std::string(line.substr(0, line.find(':') + 1)) + " " + field.value + "\n";
    }
  }
  return std::string(line) + "\n";
}

// Returns the machine's first processor as often as there are processors, each as a separate core.
std::string processor_descriptions() {
  std::string real = kernel_text("/proc/cpuinfo");
  std::string_view first = std::string_view(real).substr(0, real.find("\n\n"));
  std::string text;
  for (unsigned i = 0; i < processors(); ++i) {
    for (std::string_view rest = first; !rest.empty();) {
      std::size_t end = rest.find('\n');
      text += processor_line(rest.substr(0, end), i);
      rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    }
    text += "\n";
  }
  return text;
}

struct Row {
  std::string_view name;
  std::string text;
};

template <std::size_t n>
MachineEntry look_up(std::string_view name, const Row (&rows)[n],
                     std::vector<std::string> folders = {}) {
  if (name.empty()) {
    for (const Row& row : rows) {
      folders.emplace_back(row.name);
    }
    return MachineEntry::folder(std::move(folders));
  }
  for (const Row& row : rows) {
    if (row.name == name) {
      return MachineEntry::file(row.text + "\n");
    }
  }
  return MachineEntry::missing();
}

// Returns N if the name begins with `prefix` and N, a number below `end`, and removes that.
std::optional<unsigned> take_number(std::string_view& name, std::string_view prefix, unsigned end) {
  if (!name.starts_with(prefix)) {
    return std::nullopt;
  }
  std::string_view rest = name.substr(prefix.size());
  unsigned number = 0;
  std::size_t digits = 0;
  while (digits < rest.size() && digits < 5 && std::isdigit(rest[digits]) != 0) {
    number = 10 * number + static_cast<unsigned>(rest[digits++] - '0');
  }
  bool whole = digits == rest.size() || rest[digits] == '/';
  if (digits == 0 || !whole || number >= end || (rest[0] == '0' && digits > 1)) {
    return std::nullopt;
  }
  name = digits == rest.size() ? std::string_view() : rest.substr(digits + 1);
  return number;
}

std::string one_processor_mask(unsigned number) {
  std::string mask = all_processors_mask();
  std::size_t digit = 0;
  for (std::size_t i = mask.size(); i-- > 0;) {
    if (mask[i] == ',') {
      continue;
    }
    mask[i] = digit++ == number / 4 ? "1248"[number % 4] : '0';
  }
  return mask;
}

MachineEntry topology(std::string_view name, unsigned number) {
  std::string all = all_processors_list(), all_mask = all_processors_mask();
  std::string own = std::to_string(number), own_mask = one_processor_mask(number);
  const Row rows[] = {
      {"cluster_id", "-1"},
      {"core_cpus", own_mask},
      {"core_cpus_list", own},
      {"core_id", own},
      {"core_siblings", all_mask},
      {"core_siblings_list", all},
      {"die_cpus", all_mask},
      {"die_cpus_list", all},
      {"die_id", "0"},
      {"package_cpus", all_mask},
      {"package_cpus_list", all},
      {"physical_package_id", "0"},
      {"thread_siblings", own_mask},
      {"thread_siblings_list", own},
  };
  return look_up(name, rows);
}

MachineEntry one_processor(std::string_view name, unsigned number) {
  constexpr std::string_view kTopology = "topology";
  if (name == kTopology || name.starts_with("topology/")) {
    return topology(name == kTopology ? "" : name.substr(kTopology.size() + 1), number);
  }
  const Row rows[] = {{"online", "1"}};
  return look_up(name, rows, {"topology/"});
}

MachineEntry processor_folder(std::string_view name) {
  if (std::optional<unsigned> number = take_number(name, "cpu", processors())) {
    return one_processor(name, *number);
  }
  const Row rows[] = {
      {"isolated", ""},
      {"kernel_max", std::to_string(processors() - 1)},
      {"offline", ""},
      {"online", all_processors_list()},
      {"possible", all_processors_list()},
      {"present", all_processors_list()},
  };
  std::vector<std::string> folders;
  for (unsigned i = 0; name.empty() && i < processors(); ++i) {
    folders.push_back("cpu" + std::to_string(i) + "/");
  }
  return look_up(name, rows, std::move(folders));
}

MachineEntry node_folder(std::string_view name) {
  if (take_number(name, "node", 1)) {
    std::string total = std::to_string(machine::kMemory / 1024) + " kB";
    std::string free = std::to_string(machine::kFreeMemory / 1024) + " kB";
    const Row rows[] = {
        {"cpulist", all_processors_list()},
        {"cpumap", all_processors_mask()},
        {"distance", "10"},
        {"meminfo", "Node 0 MemTotal: " + total + "\nNode 0 MemFree: " + free},
    };
    return look_up(name, rows);
  }
  const Row rows[] = {{"has_cpu", "0"}, {"has_memory", "0"}, {"online", "0"}, {"possible", "0"}};
  return look_up(name, rows, {"node0/"});
}

// A control group has no limit but the machine's. Its other files are the real ones.
MachineEntry group_file(std::string_view path) {
  const Row rows[] = {
      {"/cpu.max", "max 100000"},
      {"/cpu.cfs_quota_us", "-1"},
      {"/cpu.cfs_period_us", "100000"},
      {"/cpuset.cpus", all_processors_list()},
      {"/cpuset.cpus.effective", all_processors_list()},
      {"/cpuset.effective_cpus", all_processors_list()},
      {"/cpuset.mems", "0"},
      {"/cpuset.mems.effective", "0"},
      {"/memory.max", "max"},
      {"/memory.high", "max"},
      {"/memory.current", std::to_string(machine::kMemory - machine::kFreeMemory)},
      {"/memory.limit_in_bytes", "9223372036854771712"},
      {"/memory.usage_in_bytes", std::to_string(machine::kMemory - machine::kFreeMemory)},
  };
  for (const Row& row : rows) {
    if (path.ends_with(row.name)) {
      return MachineEntry::file(row.text + "\n");
    }
  }
  return {};
}

struct Tree {
  std::string_view root;
  MachineEntry (*entry)(std::string_view name);
};
constexpr Tree kTrees[] = {
    {"/sys/devices/system/cpu", processor_folder},
    {"/sys/bus/cpu/devices", [](std::string_view) { return MachineEntry::missing(); }},
    {"/sys/devices/system/node", node_folder},
    {"/sys/bus/node/devices", [](std::string_view) { return MachineEntry::missing(); }},
};

}  // namespace

MachineEntry processor_entry(const std::string& path) {
  if (path == "/proc/cpuinfo") {
    return MachineEntry::file(processor_descriptions());
  }
  if (path.starts_with("/sys/fs/cgroup/")) {
    return group_file(path);
  }
  for (const Tree& tree : kTrees) {
    if (path.starts_with(tree.root)) {
      std::string_view rest = std::string_view(path).substr(tree.root.size());
      if (rest.empty() || rest[0] == '/') {
        return tree.entry(rest.empty() ? rest : rest.substr(1));
      }
    }
  }
  return {};
}

}  // namespace rff
