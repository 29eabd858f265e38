// Interface to a program that makes runs itself, inside its process (embedded/).
#pragma once

namespace rff {

class Host {
 public:
  virtual ~Host() = default;
  // The run has failed; its record says how. `signal`: the one that would end the program.
  [[noreturn]] virtual void run_failed(int signal) = 0;
  // The run ended early: its schedule wanted no further decision.
  [[noreturn]] virtual void run_rejected() = 0;
  // The program calls exit inside a run. What follows is no part of it.
  virtual void program_exits() = 0;
};

}  // namespace rff
