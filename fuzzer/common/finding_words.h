// Turns the facts that the runtime records (schedule/failure.h) into words: findings, waits and
// divergences. No other code makes sentences of them.
#pragma once

#include <functional>
#include <string>

#include "schedule/schedule_file.h"
#include "schedule/wait_words.h"

namespace rff {

// A place in code that a finding mentions.
struct CodeUse {
  CodeName code;
  std::uint32_t thread = kNoThread;    // the thread that executes the code
  const FailureWait* taken = nullptr;  // set if the holder acquired the object of this wait here
};
// Returns the words for a place in code.
using CodeWords = std::function<std::string(const CodeUse&)>;

// Returns "prog.patched+0x1189", with the module names of the finding.
std::string code_words(const Finding& finding, CodeName code);

// Returns the finding in one line: "deadlock: thread main.1 waits for a mutex in …; thread main.2
// …", "SIGSEGV (stack overflow), address 0x10", "exit status 3", an assertion in the program's
// words. For a run without a failure, returns why it went wrong; empty if it did not. `code` is
// code_words by default.
std::string finding_words(const Finding& finding);
std::string finding_words(const Finding& finding, const CodeWords& code);

// Like finding_words without the kind in front, shortened with "..." to about a thousand
// characters.
std::string short_finding_words(const Finding& finding, const CodeWords& code);

// Returns "SIGSEGV (stack overflow)" or "SIGABRT (free(): invalid pointer)".
std::string signal_words(const Failure& failure);
// Returns the type of the uncaught exception as in the source.
std::string exception_words(const Failure& failure);
// Returns "0x1189".
std::string hex_words(std::uint64_t value);

// Returns "reads 4 bytes at offset 4 of a block of 48 bytes that thread main.2 had freed". `part`:
// a name for what is there, or empty.
std::string memory_error_words(FindingKind kind, const MemoryError& error,
                               const std::string& part = "");

std::string divergence_words(const DivergenceFacts& divergence);

}  // namespace rff
