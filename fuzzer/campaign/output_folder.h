// The folder of one campaign: who may use it, and what lies where.
//
//   findings/NNN-KIND/   one folder per distinct bug (schedule.bin, minimized.bin, report.txt, …)
//   corpus/              schedules worth mutating
//   unstable/            what did not repeat
//   patched/             the program as it is run
//   plain/               what the program printed when it ran by itself
//   afl/                 AFL++'s own tree
//   stats.json           how it went
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rff {

// For -o auto: one folder below rff-out for each program and its arguments.
std::string folder_for(const std::string& program, const std::vector<std::string>& arguments);

class OutputFolder {
 public:
  enum class Use { kFresh, kForce, kResume };
  // Makes or takes over the folder, and holds it until this object goes. Throws ToolError (2) where
  // it holds another campaign, something else, or is in use.
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
