// Translates names in code and memory to functions, source lines and variables.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fuzzer/common/trace_file.h"
#include "fuzzer/debug/debug_module.h"
#include "fuzzer/debug/heap_types.h"
#include "schedule/event.h"
#include "schedule/schedule_file.h"

namespace rff {

struct Place {
  std::string module;  // file name; its hash if unknown
  std::uint64_t offset = 0;
  std::string function;  // empty if unknown
  std::string file;      // full path; empty if unknown
  int line = 0;
  bool outside = false;  // the module is a library of the system
  std::string library;   // the library function that this place called; empty if none

  std::string file_name() const;
  // "reorder.c:21"; without debug information "reorder_3+0x1189".
  std::string where() const;
  // "check (reorder.c:21)", "main (bank.cc:41, in std::mutex::lock)", or as much of it as is known.
  std::string text() const;
  // Returns whether the place is not the program's own: a library of the system, its header, std::.
  bool in_library() const;
};

class DebugInfo {
 public:
  // Names the file whose debug information explains the module. The first file of a module stays.
  void add_module(std::uint32_t hash, const std::string& path);
  DebugModule* module(std::uint32_t hash);
  std::string module_name(std::uint32_t hash);

  enum class Code { kAuto, kInstruction, kReturnAddress };
  // kAuto: instrumented instructions are named by their own address, calls of library functions by
  // the address they return to.
  Place place(CodeName code, Code kind = Code::kAuto);
  // Returns where an event happened: accesses are instructions, all other events are calls of
  // library functions.
  Place place(OpKind op, CodeName code);
  Place place(const AbstractEvent& e) { return place(e.op, e.site); }
  // For an event of the trace given to add_trace(). Returns the innermost place that is the
  // program's own, even if the event happened in a library that it called.
  Place place(const trace::EventInfo& e);
  // Returns the program's first own place in frames as in FailureStack. Returns `otherwise` if it
  // is the program's own, or if no frame is.
  Place own_place(const std::vector<CodeName>& frames, const Place& otherwise);
  // Return where a thread waits at the end of that run, and where it took an object that it holds.
  Place wait_place(std::uint32_t thread, OpKind op, CodeName site);
  Place held_place(std::uint32_t holder, std::uint64_t object, CodeName since);
  // Returns where a thread was created.
  Place created_place(std::uint32_t thread, CodeName site);
  // Returns where a finding happened: crashes at an instruction, hangs at code that is repeated,
  // all others in a call of a library function.
  Place place(FindingKind kind, CodeName code);
  // Adds functions and lines to a text of a version 2 file, which names code "prog.patched+0x1189".
  std::string with_places(const std::string& text);
  // Returns the functions inlined into one another there, innermost first. At least one.
  const std::vector<Place>& inlined(CodeName code, Code kind = Code::kAuto);

  // Returns "`counter`", "`queue.head`", "offset 8 of the heap block from make_node (list.c:12)",
  // "a local variable", …
  std::string location(const AbstractEvent& e);
  // The same for an address of this run, whose local variables and types of blocks may be known.
  // `step`: step of the event in the trace; 0 if there is none.
  std::string location(const AbstractEvent& e, std::uint64_t address, std::uint64_t step = 0);
  std::string location(const trace::EventInfo& e) { return location(e.event, e.address, e.step); }
  struct Local {
    std::string name;  // "main::lock"
    std::uint64_t size = 0;
    Dwarf_Die type{};
  };
  // `trace` must live as long as it is used; `finding` must be that of the same run.
  void add_trace(const Trace& trace, const Finding& finding);
  void forget_trace();
  // Names the object at an address that is the value of this step's event: "queue.head", "the heap
  // block from pool.cc:88", "work"; empty if unknown.
  std::string pointee(std::uint64_t address, std::uint64_t step);
  void add_local(std::uint64_t address, const Local& local);
  // Returns the only local variable there, and the offset in it; nothing if there are several.
  std::optional<std::pair<const Local*, std::uint64_t>> local_at(std::uint64_t address) const;
  // Returns the part of a heap block that the event of this step accessed: "Node.next"; empty if
  // unknown.
  std::string heap_part(std::uint64_t step);
  // Returns a form without quotes and explanations, for tables: "queue.head", "heap[list.c:12]+8".
  std::string short_location(const AbstractEvent& e);

  // Returns the line itself, without indentation; empty if the source is not there.
  std::string source_line(const Place& place);

 private:
  std::string global_name(const AbstractEvent& e);
  // Returns the path of a file whose locks the run used; empty if it is not known.
  std::string file_name(std::uint64_t name) const;
  std::vector<Place> look_up(CodeName code, Code kind);
  const std::vector<CodeName>& callers(std::uint32_t number) const;
  HeapTypes* heap_types();  // null without a trace
  Place allocation_place(const AbstractEvent& e, std::uint64_t address, std::uint64_t step);

  std::map<std::uint32_t, std::unique_ptr<DebugModule>> modules_;
  std::multimap<std::uint64_t, Local> locals_;  // by first address
  std::map<std::string, std::vector<std::string>> sources_;
  const Trace* trace_ = nullptr;
  std::unique_ptr<HeapTypes> heap_types_;                  // created when first needed
  std::map<std::uint32_t, std::vector<CodeName>> stacks_;  // at the end of the run, by thread
  std::map<std::pair<std::uint64_t, Code>, std::vector<Place>> places_;  // cached lookups
};

}  // namespace rff
