#include "fuzzer/debug/stop_resolver.h"

#include <algorithm>
#include <set>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/debug/readable_name.h"

namespace rff {
namespace {

constexpr std::size_t kNearest = 3;

std::uint32_t offset32(std::uint64_t offset) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(offset, UINT32_MAX));
}

// Schedules have them sorted and disjoint.
std::vector<ModuleRange> sorted(std::vector<ModuleRange> ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::vector<ModuleRange> result;
  for (const ModuleRange& r : ranges) {
    if (!result.empty() && result.back().module == r.module && r.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, r.end);
    } else if (r.begin < r.end) {
      result.push_back(r);
    }
  }
  return result;
}

bool is_entry(const hook::SiteRecord& site) { return (site.flags & hook::kFirst) != 0; }
bool is_access(const hook::SiteRecord& site) { return site.kind < hook::SiteKind::kSyscall; }

bool has_line(const StopSpec& spec, const Place& place) {
  return matches_file(spec.pattern, place.file) &&
         (spec.first_line == 0 || (place.line >= spec.first_line && place.line <= spec.last_line));
}

}  // namespace

StopResolver::StopResolver(DebugInfo& debug, const std::vector<std::string>& files)
    : debug_(debug) {
  for (const std::string& path : files) {
    std::uint32_t hash = module_hash(path);
    debug_.add_module(hash, path);
    if (DebugModule* m = debug_.module(hash); m->patches().patched()) {
      files_.push_back({path, hash, m});
    }
  }
}

bool StopResolver::has_calls() const {
  return std::any_of(files_.begin(), files_.end(), [](const File& file) {
    const std::vector<hook::SiteRecord>& sites = file.module->patches().sites();
    return std::any_of(sites.begin(), sites.end(), is_entry);
  });
}

StopRule StopResolver::resolve(const StopSpec& spec) {
  using Kind = StopRule::Kind;
  StopRule rule;
  rule.text = spec.text;
  switch (spec.kind) {
    case StopSpec::Kind::kPrimitives: rule.kind = Kind::kPrimitives; break;
    case StopSpec::Kind::kAccesses: rule.kind = Kind::kAccesses; break;
    case StopSpec::Kind::kCalls:
    case StopSpec::Kind::kFunction:
      rule.kind = Kind::kEntries;
      rule.ranges = entries(spec);
      break;
    case StopSpec::Kind::kFile:
      rule.kind = Kind::kCode;
      rule.ranges = lines(spec);
      break;
    case StopSpec::Kind::kVariable:
      rule.kind = Kind::kMemory;
      rule.ranges = variables(spec);
      break;
  }
  if (!spec.within.empty()) {
    rule.within = functions_like(spec, spec.within);
  }
  return rule;
}

std::vector<StopRule> StopResolver::resolve(const std::vector<StopSpec>& specs) {
  std::vector<StopRule> rules;
  for (const StopSpec& spec : specs) {
    rules.push_back(resolve(spec));
  }
  return rules;
}

void StopResolver::nothing(const StopSpec& spec, const std::string& what,
                           const std::string& pattern, std::vector<std::string> names) {
  std::string near;
  for (const std::string& name : nearest_names(pattern, std::move(names), kNearest)) {
    near += (near.empty() ? "" : ", ") + name;
  }
  throw bad_usage("--stop-at " + spec.text + ": " + what + " matches " + pattern +
                  (near.empty() ? "" : "; nearest: " + near));
}

const std::vector<StopResolver::Function>& StopResolver::functions() {
  if (functions_known_) {
    return functions_;
  }
  functions_known_ = true;
  for (const File& file : files_) {
    Dwfl_Module* symbols = file.module->dwfl();
    int count = symbols != nullptr ? dwfl_module_getsymtab(symbols) : 0;
    for (int i = 1; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr value = 0;
      const char* name =
          dwfl_module_getsym_info(symbols, i, &symbol, &value, nullptr, nullptr, nullptr);
      std::uint64_t begin = value - file.module->dwfl_bias();
      if (name == nullptr || name[0] == 0 || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
          symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF ||
          file.module->patches().in_copies(begin)) {
        continue;
      }
      functions_.push_back(
          {readable_name(name), {file.hash, offset32(begin), offset32(begin + symbol.st_size)}});
    }
  }
  return functions_;
}

std::vector<ModuleRange> StopResolver::functions_like(const StopSpec& spec,
                                                      const std::string& pattern) {
  std::vector<ModuleRange> ranges;
  std::vector<std::string> names;
  for (const Function& f : functions()) {
    names.push_back(f.name);
    if (matches_name(pattern, f.name)) {
      ranges.push_back(f.range);
    }
  }
  if (names.empty()) {
    throw bad_usage(
        "--stop-at " + spec.text +
        ": the program has no symbols, so its functions have no names: do not strip it");
  }
  if (ranges.empty()) {
    nothing(spec, "no function", pattern, std::move(names));
  }
  return sorted(std::move(ranges));
}

void StopResolver::add_sites(const File& file, std::vector<ModuleRange>& ranges,
                             const Wanted& wanted) {
  bool last = false;
  for (const hook::SiteRecord& site : file.module->patches().sites()) {
    bool now = wanted(site);
    std::uint32_t at = offset32(site.address);
    if (now && last) {
      ranges.back().end = at + 1;
    } else if (now) {
      ranges.push_back({file.hash, at, at + 1});
    }
    last = now;
  }
}

std::vector<ModuleRange> StopResolver::entries(const StopSpec& spec) {
  if (!has_calls()) {
    throw bad_usage("--stop-at " + spec.text + ": " + files_.at(0).path +
                    " was patched without its calls: give the original program, or patch it with "
                    "rff-instrument --calls");
  }
  std::vector<ModuleRange> ranges;
  if (spec.kind == StopSpec::Kind::kCalls) {
    for (const File& file : files_) {
      ranges.push_back({file.hash, 0, UINT32_MAX});
    }
    return sorted(std::move(ranges));
  }
  for (const ModuleRange& function : functions_like(spec, spec.pattern)) {
    for (const File& file : files_) {
      if (file.hash == function.module) {
        add_sites(file, ranges, [&](const hook::SiteRecord& site) {
          return is_entry(site) && site.address >= function.begin && site.address < function.end;
        });
      }
    }
  }
  if (ranges.empty()) {
    throw bad_usage("--stop-at " + spec.text +
                    ": no function that matches has an entry that can be hooked");
  }
  return sorted(std::move(ranges));
}

// Adds all code of the lines: a call there may lead to a library function that accesses memory.
void StopResolver::add_code(const StopSpec& spec, const File& file,
                            std::vector<ModuleRange>& ranges) {
  for (Dwarf_Die unit : file.module->units().all()) {
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    if (dwarf_getsrclines(&unit, &lines, &count) != 0) {
      continue;
    }
    for (std::size_t i = 0; i + 1 < count; ++i) {
      Dwarf_Line* line = dwarf_onesrcline(lines, i);
      Dwarf_Addr begin = 0, end = 0;
      int number = 0;
      bool last = false;
      const char* path = dwarf_linesrc(line, nullptr, nullptr);
      if (path == nullptr || dwarf_lineno(line, &number) != 0 ||
          dwarf_lineendsequence(line, &last) != 0 || last || dwarf_lineaddr(line, &begin) != 0 ||
          dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &end) != 0) {
        continue;
      }
      Place place;
      place.file = path;
      place.line = number;
      begin = file.module->from_dwarf(begin);
      end = file.module->from_dwarf(end);
      if (begin < end && has_line(spec, place) && !file.module->patches().in_copies(begin)) {
        ranges.push_back({file.hash, offset32(begin), offset32(end)});
      }
    }
  }
}

std::vector<ModuleRange> StopResolver::lines(const StopSpec& spec) {
  std::vector<ModuleRange> ranges;
  std::set<std::string> names;
  bool right_file = false;
  for (const File& file : files_) {
    add_code(spec, file, ranges);
    add_sites(file, ranges, [&](const hook::SiteRecord& site) {
      if (!is_access(site)) {
        return false;
      }
      const std::vector<Place>& chain =
          debug_.inlined({file.hash, offset32(site.address)}, DebugInfo::Code::kInstruction);
      for (const Place& place : chain) {
        if (!place.file.empty()) {
          names.insert(place.file_name());
          right_file |= matches_file(spec.pattern, place.file);
        }
      }
      return std::any_of(chain.begin(), chain.end(),
                         [&](const Place& place) { return has_line(spec, place); });
    });
  }
  if (names.empty()) {
    throw bad_usage("--stop-at " + spec.text +
                    ": the program has no debug information, which names files and lines: compile "
                    "it with -g");
  }
  if (ranges.empty() && right_file) {
    throw bad_usage("--stop-at " + spec.text + ": no code at these lines of " + spec.pattern);
  }
  if (ranges.empty()) {
    nothing(spec, "no file with an access to memory", spec.pattern, {names.begin(), names.end()});
  }
  return sorted(std::move(ranges));
}

std::vector<ModuleRange> StopResolver::variables(const StopSpec& spec) {
  std::vector<ModuleRange> ranges;
  std::vector<std::string> names;
  for (const File& file : files_) {
    for (const Variables::Range& v : file.module->variables().all()) {
      names.push_back(v.name);
      if (matches_name(spec.pattern, v.name)) {
        ranges.push_back({file.hash, offset32(v.begin), offset32(v.end)});
      }
    }
  }
  if (names.empty()) {
    throw bad_usage("--stop-at " + spec.text +
                    ": the program has neither symbols nor debug information, so its variables "
                    "have no names: compile it with -g, do not strip it");
  }
  if (ranges.empty()) {
    nothing(spec, "no global variable", spec.pattern, std::move(names));
  }
  return sorted(std::move(ranges));
}

}  // namespace rff
