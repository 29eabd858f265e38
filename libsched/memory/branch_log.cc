#include "libsched/memory/branch_log.h"

#include <algorithm>

#include "libsched/support/arena.h"
#include "schedule/hash.h"

namespace rff {
namespace {

std::uint64_t low_bytes(std::uint64_t value, unsigned width) {
  return width >= 8 ? value : value & ((std::uint64_t{1} << (8 * width)) - 1);
}

}  // namespace

void BranchLog::start(RunRecord* record, const Modules& modules) {
  std::uint64_t branches = modules.branch_count();
  if (record == nullptr || branches == 0) {
    return;
  }
  UseArena guard(Arena::kRuntimeStack);
  all_places_.assign(branches, {});
  places_ = all_places_.data();
  place_count_ = static_cast<std::uint32_t>(branches);
  record_ = record;
  record_->has_branches = 1;
  edges_ = record_->edges;
}

void BranchLog::end() {
  if (record_ != nullptr) {
    record_->compared_values.overflowed.fetch_add(dropped_, std::memory_order_relaxed);
  }
  record_ = nullptr;
  edges_ = nullptr;
  place_count_ = 0;
}

void BranchLog::compare(std::uint32_t thread, const PatchedModule& module, std::uint32_t number,
                        std::uint64_t first, std::uint64_t second) {
  const hook::BranchRecord& branch = module.branches[number];
  if ((branch.flags & hook::kSwapped) != 0) {
    std::swap(first, second);
  }
  ComparedValues values{};
  values.first = low_bytes(first, branch.width);
  values.second = low_bytes(second, branch.width);
  values.site = {module.hash, static_cast<std::uint32_t>(branch.address)};
  values.thread = static_cast<std::uint16_t>(thread);
  values.width = branch.width;
  values.constant = (branch.flags & hook::kConstant) != 0;
  std::uint64_t key = hash_combine(hash_combine(values.site.packed(), values.first), values.second);
  UseArena guard(Arena::kRuntimeStack);
  if (!seen_.insert(key)) {
    return;
  }
  record_->compared_values.append(values);
  if (module.first_branch + number < place_count_) {
    ++places_[module.first_branch + number].pairs;
  }
}

void BranchLog::compare_bytes(std::uint32_t thread, CodeName site, const void* first,
                              std::size_t first_size, const void* second, std::size_t second_size) {
  ComparedBytes bytes{};
  bytes.site = site;
  bytes.thread = static_cast<std::uint16_t>(thread);
  bytes.first_size =
      static_cast<std::uint8_t>(std::min<std::size_t>(first_size, ComparedBytes::kMost));
  bytes.second_size =
      static_cast<std::uint8_t>(std::min<std::size_t>(second_size, ComparedBytes::kMost));
  std::memcpy(bytes.first, first, bytes.first_size);
  std::memcpy(bytes.second, second, bytes.second_size);
  auto text = [](const std::uint8_t* data, std::size_t size) {
    return std::string_view(reinterpret_cast<const char*>(data), size);
  };
  std::string_view a = text(bytes.first, bytes.first_size);
  std::string_view b = text(bytes.second, bytes.second_size);
  std::uint64_t key =
      hash_combine(hash_combine(hash_combine(site.packed(), hash_bytes(a)), hash_bytes(b)), 1);
  UseArena guard(Arena::kRuntimeStack);
  if (a != b && seen_.insert(key)) {
    record_->compared_bytes.append(bytes);
  }
}

}  // namespace rff
