// The words for what the runtime records as facts (schedule/failure.h): findings, waits and
// divergences. No other place makes sentences of them.
#pragma once

#include <functional>
#include <string>

#include "schedule/schedule_file.h"

namespace rff {

// Code that a finding tells of.
struct CodeUse {
  CodeName code;
  std::uint32_t thread = kNoThread;    // that is there
  const FailureWait* taken = nullptr;  // it is where that wait's object was taken
};
// How it is called.
using CodeWords = std::function<std::string(const CodeUse&)>;

// "prog.patched+0x1189", by the module names that the finding has.
std::string code_words(const Finding& finding, CodeName code);

// The finding in one line: "deadlock: thread main.1 waits for a mutex in …; thread main.2 …",
// "SIGSEGV (stack overflow), address 0x10", "exit status 3", an assertion in the program's words.
// Of a run without a failure: why it went wrong; empty if it did not. `code`: code_words unless
// given.
std::string finding_words(const Finding& finding);
std::string finding_words(const Finding& finding, const CodeWords& code);

// The same without the kind in front and not much longer than a thousand characters: what did not
// fit is "...".
std::string short_finding_words(const Finding& finding, const CodeWords& code);

// "SIGSEGV (stack overflow)", "SIGABRT (free(): invalid pointer)"
std::string signal_words(const Failure& failure);
// The type of the exception that nobody caught, as in the source.
std::string exception_words(const Failure& failure);
// "0x1189"
std::string hex_words(std::uint64_t value);

// "a mutex", "the other threads at a barrier"; with the object's name: "mutex `m`", "the other
// threads at barrier `b`", "a mutex (offset 8 of a block from …)".
std::string wait_words(WaitObject object, const std::string& name = "");

std::string divergence_words(const DivergenceFacts& divergence);

}  // namespace rff
