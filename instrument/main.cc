// rff-instrument: rewrites an x86_64 ELF file so that every load and store reports to a runtime.
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <vector>

#include "command_line/command_line.h"
#include "instrument/branch_sites.h"
#include "instrument/builtin/rewriter.h"
#include "instrument/call_sites.h"
#include "instrument/e9patch/backend.h"
#include "instrument/elf_file.h"
#include "instrument/new_file.h"
#include "instrument/private_frames.h"
#include "instrument/report.h"
#include "instrument/sanitizer.h"
#include "instrument/symbolizer.h"
#include "instrument/unclaimed_code.h"
#include "schedule/standard_descriptors.h"

namespace rff::instrument {
namespace {

constexpr int kBadInput = 2;
constexpr int kOurFault = 3;

struct Options {
  std::string file;
  std::string output;
  std::string backend = "builtin";
  std::string e9patch = "e9patch";
  std::string json;
  std::string functions;
  bool list = false;
  bool allow_traps = false;
  bool hook_all = false;
  bool calls = false;
  bool branches = false;
  bool no_join = false;
};

int refuse(const std::string& message) {
  print_error("rff-instrument", message);
  return kBadInput;
}

void add_options(CommandLine& line, Options& options) {
  line.word("FILE", options.file, "x86_64 ELF executable or shared library");
  line.text("-o,--output", options.output, {"OUT", "output file (default: FILE.patched)"});
  line.one_of("--backend", {"builtin", "e9patch"},
              [&options](const std::string& name) { options.backend = name; },
              {"NAME", "who rewrites: builtin or e9patch", options.backend});
  line.text("--e9patch", options.e9patch,
            {"PATH", "the e9patch program (default: the one on PATH)"});
  line.flag("--allow-traps", options.allow_traps,
            "let e9patch trap where it finds no room for a jump; builtin never traps: a trap needs "
            "a signal\nhandler in the program, which then no longer behaves as the original");
  line.flag("--hook-all", options.hook_all,
            "also hook accesses to a function's own frame that no other code can reach");
  line.text("--functions", options.functions,
            {"PATTERN,...",
             "hook only functions with these names, as the symbol table has them "
             "(* and ? as in a shell)"});
  line.flag("--calls", options.calls,
            "also hook entries of functions, for rff-fuzz --stop-at calls and function:NAME");
  line.flag("--branches", options.branches,
            "also hook blocks and comparisons, for control flow and the values that the program "
            "compares");
  line.flag("--no-join", options.no_join,
            "report each access by a call of its own, also where several could be checked at once");
  line.flag("--list", options.list,
            "print the sites (address, kind, size, function, file:line) instead");
  line.text("--json", options.json, {"FILE", "write the report to this file"});
}

// Leaves only the sites of functions with these names. Returns how many functions that are.
std::size_t keep_functions(const std::string& patterns, Program& program) {
  std::vector<bool> kept;
  for (const Function& function : program.functions()) {
    std::istringstream list(patterns);
    bool named = false;
    for (std::string pattern; std::getline(list, pattern, ',');) {
      named |= ::fnmatch(pattern.c_str(), function.name.c_str(), 0) == 0;
    }
    kept.push_back(named);
  }
  for (std::uint32_t i = 0; i < program.instructions().size(); ++i) {
    const Instruction& in = program.instructions()[i];
    if (in.site != kNone32 && !kept[in.function]) {
      program.forget_site(i);
    }
  }
  return static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true));
}

int list(const Options& options, const Program& program) {
  Symbolizer symbols(options.file);
  for (const Instruction& in : program.instructions()) {
    if (in.site == kNone32) {
      continue;
    }
    const Site& site = program.sites()[in.site];
    std::string function = symbols.function(site.address);
    std::string line = symbols.source_line(site.address);
    std::printf("0x%llx %s%s %u %s %s\n", static_cast<unsigned long long>(site.address),
                kind_name(site.kind), (site.flags & hook::kLocked) != 0 ? ",locked" : "", site.size,
                function.empty() ? "??" : function.c_str(), line.empty() ? "??:0" : line.c_str());
  }
  if (std::fflush(stdout) != 0) {
    return refuse(std::string("cannot write to the standard output: ") + std::strerror(errno));
  }
  return 0;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat one {};
  struct stat two {};
  return stat(a.c_str(), &one) == 0 && stat(b.c_str(), &two) == 0 && one.st_dev == two.st_dev &&
         one.st_ino == two.st_ino;
}

std::uint32_t mode_of(const std::string& path) {
  struct stat status {};
  stat(path.c_str(), &status);
  return status.st_mode;
}

struct Patched {
  std::vector<bool> hooked;  // per site
  std::vector<hook::BranchRecord> branches;
  std::uint64_t bytes = 0;
  NewFile file;
};

Result<Patched> run_builtin(const Options& options, Program& program) {
  OutputFile output(program.file());
  auto rewritten = builtin::rewrite(program, output, !options.no_join);
  if (!rewritten) {
    return Error{rewritten.error()};
  }
  auto file = NewFile::create(options.output);
  if (!file) {
    return Error{file.error()};
  }
  if (std::string problem = output.write(*file); !problem.empty()) {
    return Error{problem};
  }
  return Patched{std::move(rewritten->hooked), rewritten->branches.records(), output.written_size(),
                 std::move(*file)};
}

Result<Patched> run_e9_patch(const Options& options, Program& program) {
  auto file = NewFile::create(options.output);
  if (!file) {
    return Error{file.error()};
  }
  auto rewritten = e9patch::rewrite(program, {options.e9patch, options.allow_traps}, *file);
  if (!rewritten) {
    return Error{rewritten.error()};
  }
  return Patched{std::move(rewritten->hooked), {}, rewritten->output_bytes, std::move(*file)};
}

// Writes both files, or neither if one cannot be written. Returns an error message, or "".
std::string put_files(const Options& options, const Report& report, NewFile& patched,
                      std::uint32_t mode) {
  if (options.json.empty()) {
    return patched.put(mode);
  }
  std::string text = json(report);
  struct stat existing {};
  if (stat(options.json.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    std::ofstream device(options.json);
    device << text << std::flush;
    return device ? patched.put(mode)
                  : "cannot write " + options.json + ": " + std::strerror(errno);
  }
  auto json = NewFile::create(options.json);
  if (!json) {
    return json.error();
  }
  std::string problem = json->write({text.begin(), text.end()}, 0);
  if (problem.empty()) {
    problem = patched.put(mode);
  }
  mode_t mask = umask(0);
  umask(mask);
  return problem.empty() ? json->put(0666U & ~mask) : problem;
}

void count_branches(const std::vector<hook::BranchRecord>& branches, Report& report) {
  for (const hook::BranchRecord& branch : branches) {
    ++(branch.kind == hook::BranchKind::kBlock ? report.blocks : report.comparisons);
  }
}

// Leaves the sites that are to be hooked, and adds those that are no accesses. Returns why that
// cannot be done, or "".
std::string choose_sites(const Options& options, const Sanitizer& sanitizer, Program& program) {
  claim_reachable_code(program);
  forget_sanitizer(sanitizer, program);
  if (!options.functions.empty() && keep_functions(options.functions, program) == 0) {
    return "has no function with a name like " + options.functions;
  }
  if (!options.hook_all) {
    find_private_frames(program);
  }
  if (options.calls) {
    add_call_sites(program);
  }
  if (options.branches) {
    add_branch_sites(program);
  }
  return "";
}

int run(const Options& options) {
  auto start = std::chrono::steady_clock::now();
  auto file = ElfFile::open(options.file);
  if (!file) {
    return refuse(options.file + ": " + file.error());
  }
  std::uint32_t mode = mode_of(options.file);
  if ((mode & (S_ISUID | S_ISGID)) != 0) {
    return refuse(options.file + ": is set-user-id or set-group-id: patch a copy without that bit");
  }
  auto program = Program::decode(*file);
  if (!program) {
    return refuse(options.file + ": " + program.error());
  }
  Sanitizer sanitizer = find_sanitizer(*file);
  if (!sanitizer.refused.empty()) {
    return refuse(options.file + ": " + sanitizer.refused);
  }
  if (std::string problem = choose_sites(options, sanitizer, *program); !problem.empty()) {
    return refuse(options.file + ": " + problem);
  }
  if (options.list) {
    return list(options, *program);
  }
  for (const std::string& path : {options.output, options.json}) {
    if (same_file(options.file, path)) {
      return refuse(path + ": would overwrite the original; name another file");
    }
  }
  if (options.output == options.json || same_file(options.output, options.json)) {
    return refuse(options.json + ": is to be the output and the report; name two files");
  }
  auto patched = options.backend == "e9patch" ? run_e9_patch(options, *program)
                                              : run_builtin(options, *program);
  if (!patched) {
    return refuse(options.file + ": " + patched.error());
  }
  Report report;
  report.input = options.file;
  report.output = options.output;
  report.backend = options.backend;
  report.input_bytes = file->image().size();
  report.output_bytes = patched->bytes;
  count_sites(*program, patched->hooked, report);
  count_branches(patched->branches, report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (std::string problem = put_files(options, report, patched->file, mode); !problem.empty()) {
    return refuse(options.file + ": " + problem);
  }
  std::fputs(summary(report).c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace rff::instrument

int main(int argc, char** argv) {
  rff::open_standard_descriptors();
  namespace instrument = rff::instrument;
  instrument::Options options;
  rff::CommandLine line(
      {.program = "rff-instrument",
       .usage = "rff-instrument [options] FILE",
       .description =
           "Rewrites an x86_64 ELF executable or shared library so that every load and store "
           "reports to a\nruntime. Without the runtime the patched file behaves as the original.",
       .footer = "Examples:\n"
                 "  rff-instrument ./server                 writes ./server.patched\n"
                 "  rff-instrument -o /tmp/libz.so.1 /lib/x86_64-linux-gnu/libz.so.1\n"
                 "  rff-instrument --list ./server          prints the accesses, patches nothing",
       .runs_a_program = false});
  instrument::add_options(line, options);
  try {
    if (!line.parse(argc, argv)) {
      return 0;
    }
  } catch (const rff::UsageError& error) {
    return instrument::refuse(error.what());
  }
  if (options.allow_traps && options.backend != "e9patch") {
    return instrument::refuse(
        "--allow-traps: must go with --backend e9patch; builtin never uses traps, and reports what "
        "it leaves alone");
  }
  if (options.branches && options.backend == "e9patch") {
    return instrument::refuse(
        "--branches: e9patch has no room for hooks so close together; use --backend builtin");
  }
  if (options.output.empty()) {
    options.output = options.file + ".patched";
  }
  try {
    return instrument::run(options);
  } catch (const std::exception& error) {
    rff::print_error("rff-instrument", "internal error: " + std::string(error.what()) +
                                           "; please report it with the file");
    return instrument::kOurFault;
  }
}
