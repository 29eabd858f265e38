// rff-instrument: rewrites an x86_64 ELF file so that every load and store reports to a runtime.
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "instrument/builtin/rewriter.h"
#include "instrument/elf_file.h"

namespace rff::instrument {
namespace {

constexpr int kBadInput = 2;

int Refuse(const std::string& message) {
  std::fprintf(stderr, "rff-instrument: %s\n", message.c_str());
  return kBadInput;
}

int Run(const std::string& path, const std::string& out) {
  auto start = std::chrono::steady_clock::now();
  auto file = ElfFile::Open(path);
  if (!file) {
    return Refuse(path + ": " + file.error());
  }
  auto program = Program::Decode(*file);
  if (!program) {
    return Refuse(path + ": " + program.error());
  }
  OutputFile output(*file);
  auto rewritten = builtin::Rewrite(*program, output);
  if (!rewritten) {
    return Refuse(path + ": " + rewritten.error());
  }
  struct stat status {};
  stat(path.c_str(), &status);
  if (std::string problem = output.Write(out, status.st_mode); !problem.empty()) {
    return Refuse(problem);
  }
  for (const Function& function : program->functions()) {
    if (!function.left_alone.empty() && function.sites != 0) {
      std::printf("left alone: %s at 0x%llx, %u sites: %s\n", function.name.c_str(),
                  static_cast<unsigned long long>(function.begin), function.sites,
                  function.left_alone.c_str());
    }
  }
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("%s: %zu sites, %zu instrumented (%.2f %%), %.2f s, %llu bytes\n", out.c_str(),
              program->sites().size(), rewritten->plan.records().size(),
              100.0 * static_cast<double>(rewritten->plan.records().size()) /
                  static_cast<double>(program->sites().size()),
              time.count(), static_cast<unsigned long long>(output.written_size()));
  return 0;
}

}  // namespace
}  // namespace rff::instrument

int main(int argc, char** argv) {
  CLI::App app{"Rewrites an x86_64 ELF file so that every load and store reports to a runtime."};
  std::string file;
  std::string out;
  app.add_option("FILE", file, "executable or shared library")->required();
  app.add_option("-o", out, "output file (default: FILE.patched)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return rff::instrument::Run(file, out.empty() ? file + ".patched" : out);
}
