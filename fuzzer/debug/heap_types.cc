#include "fuzzer/debug/heap_types.h"

#include <dwarf.h>

#include <algorithm>

#include "fuzzer/debug/debug_info.h"

namespace rff {
namespace {

constexpr int kRounds = 3;  // a block's type determines those of the blocks its pointers point to

std::string function_name(Dwarf_Die function) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_attr_integrate(&function, DW_AT_name, &attribute) != nullptr
                         ? dwarf_formstring(&attribute)
                         : nullptr;
  return name != nullptr ? name : "";
}

// Returns the DIEs that may hold a function's parameters: its own, and its origins if it was
// inlined or instantiated from a template.
std::vector<Dwarf_Die> with_origins(Dwarf_Die function) {
  std::vector<Dwarf_Die> all{function};
  for (unsigned name : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (dwarf_attr(&all.back(), name, &attribute) != nullptr &&
        dwarf_formref_die(&attribute, &next) != nullptr) {
      all.push_back(next);
    }
  }
  return all;
}

// Returns the class of the member function.
std::optional<Dwarf_Die> class_of(Dwarf_Die function) {
  Dwarf_Die child;
  for (int more = dwarf_child(&function, &child); more == 0;
       more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) == DW_TAG_formal_parameter) {
      auto type = type_of(child);
      auto bare = type ? bare_type(*type) : std::nullopt;
      auto to = bare ? type_of(*bare) : std::nullopt;
      return to ? bare_type(*to) : std::nullopt;
    }
  }
  return std::nullopt;
}

// Returns the type that a function of the C++ library allocates, if it is made for one type.
std::optional<Dwarf_Die> allocated_by(Dwarf_Die function) {
  std::string name = function_name(function);
  for (Dwarf_Die die : with_origins(function)) {
    if (name.starts_with("make_unique<")) {
      if (auto type = template_argument(die, "_Tp")) {
        return type;
      }
    }
    auto allocator = name == "allocate" ? class_of(die) : std::nullopt;
    const char* of = allocator ? dwarf_diename(&*allocator) : nullptr;
    for (std::string_view known : {"new_allocator<", "__new_allocator<", "allocator<"}) {
      if (of != nullptr && std::string_view(of).starts_with(known)) {
        return template_argument(*allocator, "_Tp");
      }
    }
  }
  return std::nullopt;
}

bool is_record(Dwarf_Die type) {
  auto bare = bare_type(type);
  int tag = bare ? dwarf_tag(&*bare) : 0;
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

// Returns whether an object of the type begins with one of type `name`.
bool begins_with(Dwarf_Die type, const std::string& name) {
  for (std::optional<Dwarf_Die> t = type; t; t = first_part(*t)) {
    if (type_name(*t) == name) {
      return true;
    }
  }
  return false;
}

}  // namespace

HeapTypes::HeapTypes(const Trace& trace, DebugInfo& debug)
    : trace_(trace), debug_(debug), blocks_(trace.allocations.size()) {
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    if (auto type = allocator_type(trace_.allocations[i])) {
      add(i, *type, true);
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    follow_events(round == 0);
    decide();
  }
}

std::optional<Dwarf_Die> HeapTypes::allocator_type(const trace::AllocationInfo& a) {
  auto [it, fresh] = allocators_.try_emplace({a.site.packed(), a.callers});
  if (!fresh || a.callers >= trace_.callers.size()) {
    return it->second;
  }
  for (CodeName code : trace_.callers[a.callers]) {
    DebugModule* module = debug_.module(code.module);
    if (module == nullptr || module->dwarf() == nullptr) {
      continue;
    }
    const std::vector<Place>& chain = debug_.inlined(code, DebugInfo::Code::kInstruction);
    std::size_t n = 0;
    for (Dwarf_Die scope : module->units().scopes(module->to_dwarf(code.offset))) {
      if (dwarf_tag(&scope) == DW_TAG_lexical_block) {
        continue;
      }
      if (n >= chain.size() || !chain[n++].in_library()) {
        return it->second;
      }
      if (auto type = allocated_by(scope)) {
        return it->second = type;
      }
    }
  }
  return it->second;
}

void HeapTypes::add(std::uint32_t block, Dwarf_Die type, bool allocated) {
  Type t{type, size_of(type).value_or(0), type_name(type), allocated};
  std::uint64_t room = trace_.allocations[block].size;
  auto& all = blocks_[block].candidates;
  bool known = std::any_of(all.begin(), all.end(), [&](const Type& other) {
    return other.name == t.name && other.size == t.size && other.allocated >= t.allocated;
  });
  if (!known && !t.name.empty() && t.size > 0 && t.size <= room) {
    all.push_back(t);
  }
}

// An allocator's type has precedence. Of pointers to a base and to a derived type, the latter is
// more precise.
void HeapTypes::decide() {
  for (Block& b : blocks_) {
    auto& all = b.candidates;
    if (all.empty()) {
      continue;
    }
    auto best = std::max_element(all.begin(), all.end(), [](const Type& x, const Type& y) {
      return std::pair(x.allocated, x.size) < std::pair(y.allocated, y.size);
    });
    bool agree = std::all_of(all.begin(), all.end(), [&](const Type& t) {
      return best->allocated || begins_with(best->die, t.name);
    });
    b.type = agree ? std::optional(*best) : std::nullopt;
  }
}

std::optional<Dwarf_Die> HeapTypes::points_to(const trace::EventInfo& e, std::uint32_t block) {
  std::optional<Dwarf_Die> slot;
  if (e.event.place == LocationKind::kGlobal) {
    DebugModule* module = debug_.module(static_cast<std::uint32_t>(e.event.base));
    auto variable =
        module != nullptr ? module->variables().containing(e.event.offset) : std::nullopt;
    slot = variable && variable->type ? scalar_at(*variable->type, variable->offset) : std::nullopt;
  } else if (e.event.place == LocationKind::kStack) {
    auto local = debug_.local_at(e.address);
    slot = local ? scalar_at(local->first->type, local->second) : std::nullopt;
  } else if (block != kNoBlock && blocks_[block].type) {
    const Type& type = *blocks_[block].type;
    std::uint64_t offset = e.address - trace_.allocations[block].address;
    if (offset < type.size || type.allocated) {
      slot = scalar_at(type.die, offset % type.size);
    }
  }
  return slot ? pointee(*slot) : std::nullopt;
}

void HeapTypes::follow_events(bool first) {
  std::map<std::uint64_t, std::uint32_t> live;  // the last block at each address, by its beginning
  auto allocate = [&](std::uint32_t block) {
    const trace::AllocationInfo& a = trace_.allocations[block];
    auto begin = live.upper_bound(a.address);
    if (begin != live.begin()) {
      auto before = std::prev(begin);
      begin = a.address - before->first < trace_.allocations[before->second].size ? before : begin;
    }
    live.erase(begin, live.lower_bound(a.address + std::max<std::uint64_t>(a.size, 1)));
    live[a.address] = block;
  };
  auto containing = [&](std::uint64_t address) {
    auto it = live.upper_bound(address);
    bool inside =
        it != live.begin() && address - (--it)->first < trace_.allocations[it->second].size;
    return inside ? it->second : kNoBlock;
  };
  std::uint32_t next = 0;
  if (first) {
    touched_.assign(trace_.events.size(), kNoBlock);
    pointed_to_ = touched_;
  }
  for (std::size_t i = 0; i < trace_.events.size(); ++i) {
    const trace::EventInfo& e = trace_.events[i];
    while (next < blocks_.size() && trace_.allocations[next].step < e.step) {
      allocate(next++);
    }
    if (e.event.place == LocationKind::kHeap) {
      touched_[i] = containing(e.address);
    }
    if (!op_accesses(e.event.op) || e.event.size != 8) {
      continue;
    }
    if ((e.flags & trace::kValueKnown) != 0) {
      pointed_to_[i] = containing(e.value);
    }
    for (auto [flag, value] : {std::pair(trace::kValueKnown, e.value),
                               std::pair(trace::kReadValueKnown, e.read_value)}) {
      auto to = (e.flags & flag) != 0 ? live.find(value) : live.end();
      if (to != live.end()) {
        if (auto type = points_to(e, touched_[i])) {
          add(to->second, *type, false);
        }
      }
    }
  }
}

const trace::AllocationInfo* HeapTypes::block_of(std::uint64_t step,
                                                 const std::vector<std::uint32_t>& blocks) const {
  const trace::EventInfo* e = trace_.at_step(step);
  std::uint32_t block =
      e != nullptr ? blocks[static_cast<std::size_t>(e - trace_.events.data())] : kNoBlock;
  return block != kNoBlock ? &trace_.allocations[block] : nullptr;
}

const trace::AllocationInfo* HeapTypes::block(std::uint64_t step) const {
  return block_of(step, touched_);
}

const trace::AllocationInfo* HeapTypes::pointed_to(std::uint64_t step) const {
  return block_of(step, pointed_to_);
}

std::string HeapTypes::part(std::uint64_t step) const {
  const trace::AllocationInfo* a = block(step);
  const auto& type = a != nullptr
                         ? blocks_[static_cast<std::size_t>(a - trace_.allocations.data())].type
                         : std::nullopt;
  if (!type) {
    return "";
  }
  const trace::EventInfo& e = *trace_.at_step(step);
  std::uint64_t offset = e.address - a->address;
  // A larger block that a pointer to a record points to may hold an object of a derived type, or
  // further bytes after the record.
  bool many = a->size >= 2 * type->size && (type->allocated || !is_record(type->die));
  if (offset >= type->size && !many) {
    return "";
  }
  std::string index = many ? "[" + std::to_string(offset / type->size) + "]" : "";
  return named_part(type->die, index, offset % type->size, e.event.size);
}

}  // namespace rff
