// Checks that accesses which rff-instrument takes for private to their frame are so: it follows
// every byte of the stack through a recording of the stepping oracle.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rff::test {

// The function of each site, as rff-instrument --list names it.
std::map<std::uint64_t, std::string> functions_of_sites(const std::string& program);

// The sites without a hook that a report of rff-instrument lists.
std::set<std::uint64_t> private_sites(const std::string& report_file);

class FrameOracle {
 public:
  FrameOracle(std::set<std::uint64_t> private_sites, std::map<std::uint64_t, std::string> functions)
      : private_sites_(std::move(private_sites)), functions_(std::move(functions)) {}

  // Adds a line of the log; see access_log.h.
  void add(const std::string& line);

  // The accesses through which a value passed between a private access and one of other code, while
  // the frame existed.
  const std::vector<std::string>& leaks() const { return leaks_; }
  std::uint64_t private_accesses() const { return private_accesses_; }

 private:
  void read(std::uint64_t site, std::uint64_t address, const std::string& line);

  std::set<std::uint64_t> private_sites_;
  std::map<std::uint64_t, std::string> functions_;
  std::map<std::uint64_t, std::uint64_t> writers_;  // by address of a byte of the stack: the site
  std::vector<std::string> leaks_;
  std::uint64_t private_accesses_ = 0;
};

}  // namespace rff::test
