#include "instrument/e9patch/backend.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "instrument/builtin/copier.h"
#include "instrument/builtin/inline_hook.h"
#include "instrument/builtin/module_segments.h"
#include "instrument/builtin/stubs.h"
#include "instrument/builtin/unwind.h"
#include "instrument/e9patch/messages.h"

extern char** environ;

namespace rff::instrument::e9patch {

namespace {

// E9Patch examines instructions up to this far from a patch.
constexpr std::uint64_t kNeighbourhood = 256;

// Runs a command, collects its standard output and writes its standard error to a file. Returns its
// exit status, or -1 if it cannot be started.
int execute(const std::vector<std::string>& command, const std::string& errors,
            std::string& output) {
  int pipe_fds[2];
  if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
    return -1;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  pid_t child = -1;
  int problem = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_fds[1]);
  char buffer[4096];
  for (ssize_t n; problem == 0 && (n = read(pipe_fds[0], buffer, sizeof(buffer))) > 0;) {
    output.append(buffer, static_cast<std::size_t>(n));
  }
  close(pipe_fds[0]);
  if (problem != 0) {
    return -1;
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// "E9Patch 1.0.1" → "1.0.1"; empty if the program cannot be run.
std::string version(const std::string& program) {
  std::string output;
  if (execute({program, "--version"}, "/dev/null", output) != 0) {
    return "";
  }
  std::size_t begin = output.find(' ');
  if (begin == std::string::npos) {
    return "";
  }
  std::size_t end = output.find_first_of(" \n", begin + 1);
  return output.substr(begin + 1, end - begin - 1);
}

// Returns E9Patch's error message: the line with its error, otherwise its last line.
std::string complaint(const std::string& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("error", 0) == 0) {
      return line;
    }
    last = line;
  }
  return last;
}

// A temporary file that the destructor removes.
class Scratch {
 public:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  ~Scratch() { unlink(path_.c_str()); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// E9Patch moves instructions to make room, and does not know that xbegin is a branch.
void leave_transactions_alone(Program& program) {
  for (const Instruction& in : program.instructions()) {
    Function& function = program.functions()[in.function];
    if (in.has(kIsXbegin) && function.left_alone.empty()) {
      function.left_alone = "begins a transaction, which E9Patch cannot move";
    }
  }
}

std::vector<bool> choose_sites(const Program& program) {
  std::vector<bool> chosen(program.sites().size(), false);
  for (const Instruction& in : program.instructions()) {
    if (in.site != kNone32 && program.functions()[in.function].left_alone.empty() &&
        program.sites()[in.site].to_be_hooked()) {
      chosen[in.site] = true;
    }
  }
  return chosen;
}

struct Files {
  std::string input, output, messages;
};

bool write_messages(const Program& program, const PatchPlan& plan, const builtin::Stubs& stubs,
                    const std::string& version, bool allow_traps, const Files& files) {
  std::ofstream out(files.messages, std::ios::binary);
  MessageWriter writer(out);
  bool is_library = program.file().segment_of_type(PT_INTERP) == nullptr;
  writer.binary(files.input, is_library, version);
  if (allow_traps) {
    writer.options({"--tactic-B0=true"});
  }
  writer.hook_trampoline();
  const auto& instructions = program.instructions();
  std::uint64_t near = 0;  // the lowest site seen so far
  auto hooked = [&](const Instruction& in) {
    return in.site != kNone32 && plan.number_of(in.site) != kNone32;
  };
  std::uint64_t next_below = 0;
  // Marks instructions that have a site within reach, in one sweep up and one sweep down.
  std::vector<bool> wanted(instructions.size(), false);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (hooked(instructions[i])) {
      next_below = instructions[i].address;
    }
    wanted[i] = next_below != 0 && instructions[i].address - next_below < kNeighbourhood;
  }
  for (std::size_t i = instructions.size(); i-- > 0;) {
    if (hooked(instructions[i])) {
      near = instructions[i].address;
    }
    wanted[i] = wanted[i] || (near != 0 && near - instructions[i].address < kNeighbourhood);
  }
  for (std::size_t i = instructions.size(); i-- > 0;) {
    const Instruction& in = instructions[i];
    if (wanted[i] && !in.has(kIsXbegin)) {
      writer.instruction(in.address, in.length, *program.file().file_offset(in.address));
    }
  }
  for (std::size_t i = instructions.size(); i-- > 0;) {
    const Instruction& in = instructions[i];
    if (hooked(in)) {
      builtin::CodeBuffer code(0);
      code.keep_relatives();
      builtin::emit_inline_hook(program.sites()[in.site], plan.number_of(in.site), stubs, code);
      writer.patch(*program.file().file_offset(in.address), code);
    }
  }
  writer.emit(files.output);
  out.close();
  return out.good();
}

// E9Patch prints a dot for every patch, a T for one that traps and an X for one that failed, in the
// order of the messages sent to it: from the highest address down.
void find_unpatched(const std::string& text, std::vector<bool>& hooked) {
  std::size_t at = 0;
  for (std::size_t i = hooked.size(); i-- > 0;) {
    if (hooked[i]) {
      at = text.find_first_of(".TX", at);
      hooked[i] = at != std::string::npos && text[at] != 'X';
      at = at == std::string::npos ? at : at + 1;
    }
  }
}

}  // namespace

Result<Rewritten> rewrite(Program& program, const Options& options, NewFile& output) {
  std::string found = version(options.program);
  if (found.empty()) {
    return Error{"cannot run " + options.program +
                 ": install E9Patch, or name it with --e9patch PATH"};
  }
  leave_transactions_alone(program);
  std::vector<bool> chosen = choose_sites(program);
  PatchPlan plan(program, chosen);
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    chosen[i] = plan.number_of(i) != kNone32;
  }
  if (plan.records().empty()) {
    return Error{"has no memory access that can be hooked"};
  }
  OutputFile intermediate(program.file());
  intermediate.add_spare_note();
  const BranchPlan no_branches(program, {});
  builtin::ModuleLayout layout(intermediate, plan, no_branches, 0);
  builtin::CodeBuffer code(layout.code);
  builtin::Stubs stubs = builtin::emit_stubs(code, {layout.slots, layout.sites});
  builtin::Copies no_copies;
  std::vector<bool> none_copied(program.functions().size(), false);
  builtin::UnwindTables unwind = builtin::build_unwind_tables(
      {program, none_copied, no_copies, stubs, {layout.slots, layout.sites}, {}},
      layout.unwind_address(code, 0));
  builtin::add_module_segments(layout, builtin::kE9PatchBackend, plan, no_branches, code, {},
                               unwind, program.sanitizer, {}, intermediate);

  auto input = NewFile::create(output.temporary() + ".in");
  if (!input) {
    return Error{input.error()};
  }
  if (std::string problem = intermediate.write(*input); !problem.empty()) {
    return Error{problem};
  }
  const std::string& result = output.temporary();
  Scratch messages(result + ".json");
  Scratch errors(result + ".err");
  if (!write_messages(program, plan, stubs, found, options.allow_traps,
                      {input->temporary(), result, messages.path()})) {
    return Error{"cannot write " + messages.path()};
  }
  std::string text;
  int status = execute({options.program, "-i", messages.path()}, errors.path(), text);
  struct stat written {};
  if (status != 0 || stat(result.c_str(), &written) != 0) {
    return Error{"E9Patch failed: " + complaint(errors.path())};
  }
  Rewritten rewritten{std::move(chosen), static_cast<std::uint64_t>(written.st_size)};
  find_unpatched(text, rewritten.hooked);
  return rewritten;
}

}  // namespace rff::instrument::e9patch
