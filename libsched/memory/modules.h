// The loaded modules of the target: names of code and globals, and the sites of patched files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/event.h"
#include "schedule/hook.h"

namespace rff {

// Longer accesses come only from repeated instructions and are named as a whole.
inline constexpr std::uint64_t kLongestAccess = 64;

// The facts about a site that the fast path of an access needs.
struct FastSite {
  static constexpr std::int8_t kNever = -1;
  std::uint32_t code;  // see Cell
  std::int8_t
      last_offset;     // highest offset in a word at which the access fits; kNever: always slow
  std::uint8_t bytes;  // one bit for each byte accessed
  std::uint8_t wide;   // the size if that is more than a word; 0: it is not
  bool writes;
};

// The runtime's functions that patched code calls.
struct HookEntries {
  void (*access)();         // for mostly private accesses
  void (*shared_access)();  // the same if several kernel threads may call it at once
  void (*every_access)();   // if private accesses are scheduling points or traced, too
  void (*shared_every_access)();
  hook::ComplexHook complex;
  int (*renew)(hook::JoinedSlots*);
  // For blocks and comparisons, with the arguments of patched code.
  using Branch = void (*)(std::uint64_t, std::uint32_t, std::uint64_t, hook::AccessHook*);
  Branch block;
  Branch comparison;
};

// The state that checks of groups read; see JoinedSlots. Null in `steps`: no check may be enabled.
struct JoinedPlaces {
  const void* thread = nullptr;
  const std::uint64_t* steps = nullptr;
  const std::uint64_t* hash = nullptr;
  const hook::JoinedCache* cache = nullptr;
  const void* eras = nullptr;
  const void* histories = nullptr;
  const bool* late = nullptr;
  const int* inside = nullptr;
  std::uint64_t known = 0;
  bool faults = false;  // the program may go on after one: only groups that may fault are used
};

struct PatchedModule;
struct BranchHook : hook::AccessHook {
  const PatchedModule* module = nullptr;
};

// The site table of a loaded patched file, and which of its sites are scheduling points.
struct PatchedModule : hook::AccessHook {
  // Values of is_point. The learned ones count from the next run on; `handed over`: see PointName.
  enum : std::uint8_t { kNoPoint, kPoint, kHandedOver, kLearned, kLearnedHandedOver };

  std::uint32_t index = 0;  // among patched modules
  std::uint32_t hash = 0;
  std::uint64_t bias = 0;
  hook::HookSlots* slots = nullptr;
  const hook::SiteRecord* sites = nullptr;
  std::uint64_t site_count = 0;
  const hook::SiteDetail* details = nullptr;
  const hook::AddressMapEntry* address_map = nullptr;
  std::uint64_t address_map_count = 0;
  std::uint64_t code_begin = 0, code_end = 0;  // runtime addresses of the copies
  const hook::BranchRecord* branches = nullptr;
  std::uint64_t branch_count = 0;
  std::uint32_t first_branch = 0;  // number of branches in patched modules before this one
  BranchHook block_hook, comparison_hook;
  hook::SanitizerNote sanitizer{};
  hook::JoinedSlots* joined = nullptr;
  std::uint8_t* group_enabled = nullptr;  // per group
  const hook::GroupRecord* groups = nullptr;
  std::uint64_t group_count = 0;
  bool fixed_codes = false;            // see JoinedNote
  bool joins = false;                  // groups whose sites all have a fast path are enabled
  std::vector<std::uint8_t> is_point;  // per site
  std::vector<FastSite> fast;          // per site
  std::vector<std::uint8_t> chosen;    // per site: see StopRules; no fast path

  // Marks the site at this file offset, if there is one. A point stays one until it is none.
  void mark(std::uint32_t offset, std::uint8_t point);
  bool stops_at(std::uint32_t site) const {
    return is_point[site] == kPoint || is_point[site] == kHandedOver;
  }
  // Sets `chosen` of the sites at these file offsets. `entries`: only of those where functions
  // begin.
  void choose(std::uint32_t begin, std::uint32_t end, bool entries, bool chosen_now);

  // Before a run: hooks only what observes the world (clocks, random numbers, system calls).
  void connect_world(const HookEntries& hooks);
  void connect(const HookEntries& hooks, void (*access)());
  // Lets groups check themselves, or no longer.
  void join(const HookEntries& hooks, const JoinedPlaces& places);
  void disconnect();

  // Returns the group whose copy without hooks has this address; null: none.
  const hook::GroupRecord* group_at(std::uint64_t code_address) const;
  // Returns the site whose access, the first of a group, is at this address of either copy; null:
  // none.
  const hook::SiteRecord* first_of_group(std::uint64_t code_address, std::uint64_t original) const;
  // The number of accesses of a group that a thread has not made yet although they are recorded: it
  // is at this address in the copy without hooks. `writes`: the last of them is a write.
  std::uint32_t accesses_ahead(std::uint64_t code_address, std::uint64_t original,
                               bool* writes) const;

  CodeName site_name(std::uint32_t site) const {
    return {hash, static_cast<std::uint32_t>(sites[site].address)};
  }

 private:
  const hook::SiteRecord* first_from(std::uint32_t offset) const;
  void set_fast_path(std::size_t site);
  bool may_be_used(const hook::GroupRecord& group) const;

  bool faults_ = false;  // see JoinedPlaces
};

struct Module {
  std::uint64_t bias = 0, begin = 0, end = 0;
  std::uint32_t hash = 0;
  bool main = false;
  bool unwinder = false;
  bool system = false;  // the loader, the C library, libsched itself
  PatchedModule* patched = nullptr;
  std::string path;
};

class Modules {
 public:
  // Finds loaded modules and appends new patched ones to patched(). Returns whether any was new.
  bool refresh();

  const Module* find(std::uint64_t address) const;
  CodeName name(std::uint64_t code_address) const;
  // For the signal handler: whether a check of patched code has failed to read what the last write
  // left (GroupRecord::commit_load). Sets the address to where it continues.
  // Sets the register that the load is for, too.
  bool commit_fault(std::uint64_t* rip, std::uint8_t* loaded) const;
  // Turns the registers at a fault into what they would be if the access had called its hook. Only
  // groups that may fault are in use.
  void leave_group(std::uint64_t* rip, std::uint64_t* flags) const;
  // Translates an address inside a copy of patched code to the original instruction's.
  std::uint64_t original_code(std::uint64_t code_address) const;
  // Returns the path with which the program was started.
  const std::string& main_path() const;
  const std::vector<Module>& all() const { return modules_; }
  const std::vector<PatchedModule*>& patched() const { return patched_; }
  // Returns the number of blocks and comparisons that patched modules report.
  std::uint64_t branch_count() const {
    return patched_.empty() ? 0 : patched_.back()->first_branch + patched_.back()->branch_count;
  }

 private:
  std::vector<Module> modules_;  // sorted by begin
  std::vector<PatchedModule*> patched_;
  unsigned long long loads_ = 0;
};

}  // namespace rff
