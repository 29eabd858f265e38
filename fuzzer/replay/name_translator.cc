#include "fuzzer/replay/name_translator.h"

#include <algorithm>

namespace rff {

NameTranslator::NameTranslator(const std::string& old_program, const std::string& new_program)
    : old_(old_program),
      new_(new_program),
      old_hash_(module_hash(old_program)),
      new_hash_(module_hash(new_program)) {}

std::optional<NameTranslator::Function> NameTranslator::containing(DebugModule& m,
                                                                   std::uint64_t address) {
  if (m.dwfl() == nullptr) {
    return std::nullopt;
  }
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* name = dwfl_module_addrinfo(m.dwfl(), address + m.dwfl_bias(), &offset, &symbol,
                                          nullptr, nullptr, nullptr);
  if (name == nullptr) {
    return std::nullopt;
  }
  return Function{name, address - offset, symbol.st_size};
}

std::optional<NameTranslator::Function> NameTranslator::named(DebugModule& m,
                                                              const std::string& name) {
  int count = m.dwfl() != nullptr ? dwfl_module_getsymtab(m.dwfl()) : 0;
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr value = 0;
    const char* found =
        dwfl_module_getsym_info(m.dwfl(), i, &symbol, &value, nullptr, nullptr, nullptr);
    if (found != nullptr && name == found && GELF_ST_TYPE(symbol.st_info) == STT_FUNC) {
      return Function{name, value - m.dwfl_bias(), symbol.st_size};
    }
  }
  return std::nullopt;
}

std::vector<hook::SiteRecord> NameTranslator::sites(DebugModule& m, const Function& f) {
  std::vector<hook::SiteRecord> result;
  for (const hook::SiteRecord& s : m.patches().sites()) {
    if (s.address >= f.begin && s.address < f.begin + f.size) {
      result.push_back(s);
    }
  }
  return result;
}

std::string NameTranslator::operand(DebugModule& m, const hook::SiteRecord& s) {
  return s.operand_hint != 0 ? m.variables().name(s.operand_hint, s.size) : "";
}

std::optional<CodeName> NameTranslator::code(CodeName old) {
  if (old.module != old_hash_) {
    return old;  // it belongs to a library
  }
  auto from = containing(old_, old.offset);
  auto to = from ? named(new_, from->name) : std::nullopt;
  if (!to) {
    return std::nullopt;
  }
  auto result = [&](std::uint64_t address) {
    return CodeName{new_hash_, static_cast<std::uint32_t>(address)};
  };
  if (!old_.patches().is_site(old.offset) || from->size == to->size) {
    // Offsets stay if the function has the same size; otherwise a call has no counterpart.
    return from->size == to->size ? std::optional(result(to->begin + (old.offset - from->begin)))
                                  : std::nullopt;
  }
  // The function has changed: take the n-th access of the same kind to the same variable.
  std::vector<hook::SiteRecord> before = sites(old_, *from);
  auto site = std::find_if(before.begin(), before.end(),
                           [&](const auto& s) { return s.address == old.offset; });
  std::string variable = operand(old_, *site);
  auto alike = [&](DebugModule& m, const hook::SiteRecord& s) {
    return s.kind == site->kind && s.size == site->size && operand(m, s) == variable;
  };
  auto ordinal = std::count_if(before.begin(), site, [&](const auto& s) { return alike(old_, s); });
  for (const hook::SiteRecord& s : sites(new_, *to)) {
    if (alike(new_, s) && ordinal-- == 0) {
      return result(s.address);
    }
  }
  return std::nullopt;
}

std::optional<AbstractEvent> NameTranslator::event(const AbstractEvent& old) {
  AbstractEvent e = old;
  if (old.site != CodeName{}) {
    auto site = code(old.site);
    if (!site) {
      return std::nullopt;
    }
    e.site = *site;
  }
  if (old.place == LocationKind::kGlobal && old.base == old_hash_) {
    auto variable = old_.variables().containing(old.offset);
    auto place = variable ? new_.variables().find(variable->name, variable->offset) : std::nullopt;
    if (!place) {
      return std::nullopt;
    }
    e.base = new_hash_;
    e.offset = *place;
  } else if ((old.place == LocationKind::kHeap || old.place == LocationKind::kThread ||
              old.place == LocationKind::kDescriptor) &&
             old.base != 0) {
    auto base = code(CodeName::unpack(old.base));
    if (!base) {
      return std::nullopt;
    }
    e.base = base->packed();
  }
  return e;
}

std::optional<Constraint> NameTranslator::constraint(const Constraint& old) {
  auto write = event(old.write);
  auto read = event(old.read);
  if (!write || !read) {
    return std::nullopt;
  }
  return Constraint{*write, *read, old.positive};
}

AbstractSchedule NameTranslator::constraints(const AbstractSchedule& old) {
  AbstractSchedule result;
  for (const Constraint& c : old.constraints()) {
    if (auto carried = constraint(c)) {
      result.insert(*carried);
    }
  }
  return result;
}

SchedulingPoints NameTranslator::points(const SchedulingPoints& old) {
  SchedulingPoints result = old;
  for (std::vector<CodeName>* sites : {&result.sites, &result.handed_over}) {
    std::vector<CodeName> carried_over;
    for (CodeName c : *sites) {
      if (auto carried = code(c)) {
        carried_over.push_back(*carried);
      }
    }
    std::sort(carried_over.begin(), carried_over.end());
    *sites = std::move(carried_over);
  }
  return result;
}

}  // namespace rff
