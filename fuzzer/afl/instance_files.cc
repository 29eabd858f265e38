// Writes the files of an instance that others read.
#include <algorithm>
#include <cstring>

#include "fuzzer/afl/instance.h"
#include "fuzzer/common/files.h"
#include "schedule/run_finding.h"

namespace rff {

std::string Instance::write_standalone(const std::string& name) {
  Schedule file = *current_;
  // The points that this run used are the beginning of the campaign's list, which has grown since.
  std::uint32_t used =
      file.points.listed ? 0 : std::min(file.points.shared_version, shared_.points.size());
  file.points.listed = true;
  for (std::uint32_t i = 0; i < used; ++i) {
    PointName point = PointName::unpack(shared_.points.items[i]);
    (point.handed_over ? file.points.handed_over : file.points.sites).push_back(point.site);
  }
  std::sort(file.points.sites.begin(), file.points.sites.end());
  std::sort(file.points.handed_over.begin(), file.points.handed_over.end());
  file.finding = finding_of(shared_);
  if (shared_.run.outcome.load() == RunOutcome::kUnresponsive) {
    file.finding->decisions.clear();  // the scheduler repeats them; there may be millions
  }
  std::string path = std::string(campaign_.folder.view()) + "/inbox/" + name + ".bin";
  if (int error = write_file(path, encode_schedule(file)); error != 0) {
    trouble("cannot write " + path + ": " + std::strerror(error));
    return {};
  }
  return path;
}

}  // namespace rff
