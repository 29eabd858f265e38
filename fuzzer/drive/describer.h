// Puts a session into words: what each thread is about to do, what it waits for, which steps race,
// the source around the current line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/drive/picture.h"
#include "fuzzer/drive/session.h"

namespace rff {

class Describer {
 public:
  explicit Describer(Session& session) : session_(session) {}

  Picture picture();
  // One line for each thread that waits; one line that says so if none does.
  std::vector<std::string> waits();
  // Returns "writes `a`".
  std::string operation(const driving::PointThread& t);
  Place place(const driving::PointThread& t);
  // The value of a global variable, or why it cannot be shown.
  std::string variable(const std::string& name);
  DebugInfo& debug() { return debug_; }

 private:
  std::string name(std::uint32_t thread) const;
  std::string place_text(const driving::PointThread& t);
  std::string value_now(const driving::PointThread& t);
  std::string wait(const driving::PointThread& t);
  std::string races(const driving::PointThread& t) const;
  std::string end();
  // Explains the failure by a run that is traced.
  const std::vector<std::string>& failure();
  void add_source(Picture& p);
  void add_modules();

  Session& session_;
  DebugInfo debug_;
  std::map<std::string, std::vector<std::string>> files_;
  std::optional<Session::Position> explained_;  // where `failure_` belongs to
  std::vector<std::string> failure_;
};

}  // namespace rff
