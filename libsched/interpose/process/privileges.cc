// Functions that give up privileges, or all files outside a folder. A program cannot begin again
// after that, so its runs begin before such a call.
#include <grp.h>
#include <unistd.h>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

void before_irrevocable_change() {
  if (controlled()) {
    runtime->start_run();
  }
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int setuid(uid_t user) noexcept {
  before_irrevocable_change();
  return RFF_REAL(setuid)(user);
}

RFF_EXPORT int seteuid(uid_t user) noexcept {
  before_irrevocable_change();
  return RFF_REAL(seteuid)(user);
}

RFF_EXPORT int setreuid(uid_t real_user, uid_t effective) noexcept {
  before_irrevocable_change();
  return RFF_REAL(setreuid)(real_user, effective);
}

RFF_EXPORT int setresuid(uid_t real_user, uid_t effective, uid_t saved) noexcept {
  before_irrevocable_change();
  return RFF_REAL(setresuid)(real_user, effective, saved);
}

RFF_EXPORT int setgid(gid_t group) noexcept {
  before_irrevocable_change();
  return RFF_REAL(setgid)(group);
}

RFF_EXPORT int setegid(gid_t group) noexcept {
  before_irrevocable_change();
  return RFF_REAL(setegid)(group);
}

RFF_EXPORT int setregid(gid_t real_group, gid_t effective) noexcept {
  before_irrevocable_change();
  return RFF_REAL(setregid)(real_group, effective);
}

RFF_EXPORT int setresgid(gid_t real_group, gid_t effective, gid_t saved) noexcept {
  before_irrevocable_change();
  return RFF_REAL(setresgid)(real_group, effective, saved);
}

RFF_EXPORT int setgroups(std::size_t count, const gid_t* groups) noexcept {
  before_irrevocable_change();
  return RFF_REAL(setgroups)(count, groups);
}

RFF_EXPORT int initgroups(const char* user, gid_t group) {
  before_irrevocable_change();
  return RFF_REAL(initgroups)(user, group);
}

RFF_EXPORT int chroot(const char* path) noexcept {
  before_irrevocable_change();
  return RFF_REAL(chroot)(path);
}
