#include "libsched/interpose/files/file_locks.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "libsched/interpose/files/kernel_text.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/real.h"
#include "schedule/hash.h"

namespace rff::file_locks {
namespace {

// All files that were ever locked. What is held is part of the program's state.
class LockedFiles final : public ObjectTable {
 public:
  static LockedFiles& instance() {
    static auto* table = new LockedFiles;
    return *table;
  }
  void forget_range(std::uint64_t, std::uint64_t) override {}
  std::uint64_t fingerprint() const override {
    std::uint64_t hash = 0;
    for (const LockedFile* f : files) {
      for (const FileLock& l : f->held) {
        hash =
            hash_combine(hash_combine(hash, f->number), reinterpret_cast<std::uint64_t>(l.owner));
        hash = hash_combine(hash_combine(hash, static_cast<std::uint64_t>(l.begin)),
                            static_cast<std::uint64_t>(l.end) * 4 + l.flock * 2 + l.exclusive);
      }
    }
    return hash;
  }

  std::vector<LockedFile*> files;
};

std::vector<LockedFile*>& files() { return LockedFiles::instance().files; }

// As the kernel tells it, without the mark of a name that was removed.
std::string path_of(int fd) {
  constexpr std::string_view kRemoved = " (deleted)";
  std::string link = "/proc/self/fd/" + std::to_string(fd);
  std::string path(4096, '\0');
  long n = real::syscall6(SYS_readlink, reinterpret_cast<long>(link.c_str()),
                          reinterpret_cast<long>(path.data()), static_cast<long>(path.size()));
  path.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  if (std::string_view(path).ends_with(kRemoved)) {
    path.resize(path.size() - kRemoved.size());
  }
  return path;
}

// The folder may be another one in the next run, or on another machine.
Location place_of(const std::string& path) {
  std::string_view name = path;
  name.remove_prefix(std::min(name.rfind('/') + 1, name.size()));
  return {LocationKind::kFile, hash_bytes(name), 0};
}

bool is_of(const FileLock& held, const FileLock& lock) {
  return held.flock == lock.flock && held.owner == lock.owner;
}

}  // namespace

LockedFile* find(int fd) {
  struct stat s = {};
  if (real::syscall6(SYS_fstat, fd, reinterpret_cast<long>(&s)) != 0) {
    return nullptr;
  }
  for (LockedFile* f : files()) {
    if (f->device == s.st_dev && f->number == s.st_ino) {
      return f;
    }
  }
  std::string path = path_of(fd);
  struct stat turn = {};
  int of_turn = own_descriptors::get(own_descriptors::kTurn);
  real::syscall6(SYS_fstat, of_turn, reinterpret_cast<long>(&turn));
  bool same = of_turn >= 0 && turn.st_dev == s.st_dev && turn.st_ino == s.st_ino;
  auto* f = new LockedFile{s.st_dev, s.st_ino, place_of(path), {}, same};
  files().push_back(f);
  runtime->run.trace.file({f->place.base}, path);
  return f;
}

const FileLock* held_inside(const LockedFile& file, const FileLock& wanted) {
  auto held = std::find_if(file.held.begin(), file.held.end(), [&](const FileLock& l) {
    return l.excludes(wanted) && (l.owner == nullptr || !l.owner->shared);
  });
  return held == file.held.end() ? nullptr : &*held;
}

const FileLock* held_by_owner(const LockedFile& file, const FileLock& lock) {
  auto held = std::find_if(file.held.begin(), file.held.end(),
                           [&](const FileLock& l) { return is_of(l, lock); });
  return held == file.held.end() ? nullptr : &*held;
}

void took(LockedFile& file, const FileLock& lock) {
  released(file, lock);
  file.held.push_back(lock);
}

void released(LockedFile& file, const FileLock& range) {
  std::vector<FileLock> left;
  for (const FileLock& l : file.held) {
    if (!is_of(l, range) || l.end <= range.begin || range.end <= l.begin) {
      left.push_back(l);
      continue;
    }
    if (l.begin < range.begin) {
      left.push_back(l);
      left.back().end = range.begin;
    }
    if (range.end < l.end) {
      left.push_back(l);
      left.back().begin = range.end;
    }
  }
  file.held = std::move(left);
}

void closed(const Description& d) {
  for (LockedFile* f : files()) {
    std::erase_if(f->held, [&](const FileLock& l) { return l.owner == &d; });
  }
}

namespace {

// Closing any descriptor of a file gives back all that the process has locked there.
void forget_locks_of_process(int fd) {
  auto of_process = [](const FileLock& l) { return l.owner == nullptr; };
  bool any = std::any_of(files().begin(), files().end(), [&](const LockedFile* f) {
    return std::any_of(f->held.begin(), f->held.end(), of_process);
  });
  LockedFile* file = any ? find(fd) : nullptr;
  if (file != nullptr) {
    std::erase_if(file->held, of_process);
  }
}

}  // namespace

void will_close(int fd, const void* caller) {
  forget_locks_of_process(fd);
  const Description* d = descriptions::find(fd);
  if (d == nullptr || d->descriptors > 1 || !watched()) {
    return;
  }
  for (LockedFile* f : files()) {
    auto of_d = [&](const FileLock& l) { return l.owner == d; };
    if (std::any_of(f->held.begin(), f->held.end(), of_d)) {
      Operation op = operation(OpKind::kUnlock, f, caller);
      op.place = f->place;
      runtime->run.execution.perform(op);
    }
  }
}

namespace {

// Who waits, and for whom.
using Waits = std::vector<std::pair<long, long>>;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) {
      words.push_back(line.substr(0, end));
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

// The kernel lists each lock with those that wait for it below. Vector registers must stay as they
// are, so no function of the C library reads this.
//   7: POSIX  ADVISORY  WRITE 4711 08:01:1234 0 EOF
//   7: -> POSIX  ADVISORY  WRITE 4712 08:01:1234 0 EOF
Waits kernels_waits() {
  std::string text = kernel_text("/proc/locks");
  Waits waits;
  long holder = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    std::vector<std::string_view> words = words_of(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    bool is_waiting = words.size() > 1 && words[1] == "->";
    std::size_t at = is_waiting ? 5 : 4;
    long process = 0;
    if (words.size() > at) {
      std::from_chars(words[at].data(), words[at].data() + words[at].size(), process);
    }
    if (is_waiting) {
      waits.emplace_back(process, holder);
    } else {
      holder = process;
    }
  }
  return waits;
}

}  // namespace

bool waits_for_this_process(pid_t other) {
  Waits waits = kernels_waits();
  long self = real::syscall6(SYS_getpid);
  long waiter = other;
  for (std::size_t i = 0; i <= waits.size() && waiter != self; ++i) {
    auto next = std::find_if(waits.begin(), waits.end(),
                             [&](const auto& wait) { return wait.first == waiter; });
    waiter = next == waits.end() ? 0 : next->second;
  }
  return waiter == self;
}

}  // namespace rff::file_locks
