// The output folder of one campaign: locks it against concurrent use and defines its layout.
//
//   findings/NNN-KIND/   one folder per distinct bug (schedule.bin, minimized.bin, report.txt, …)
//   corpus/              schedules worth mutating
//   unstable/            runs that did not repeat
//   patched/             the patched program
//   plain/               output of the plain run
//   afl/                 AFL++'s own tree
//   stats.json           statistics
//   outcome.json         how the campaign ended
//   systematic.bin       how far a systematic search is
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rff {

// Returns the folder for -o auto: one below rff-out for each program with its arguments.
std::string folder_for(const std::string& program, const std::vector<std::string>& arguments);

class OutputFolder {
 public:
  enum class Use { kFresh, kForce, kResume };
  // Creates or reuses the folder and keeps it locked while this object lives. Throws ToolError (2)
  // if it contains another campaign or something else, or is in use.
  OutputFolder(const std::string& path, Use use);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  void claim();

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace rff
