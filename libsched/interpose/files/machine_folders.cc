// Folders in which the kernel describes the machine: a program that lists them sees the processors
// and threads that it is told of elsewhere.
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "libsched/interpose/files/kernel_path.h"
#include "libsched/interpose/files/machine_files.h"
#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

using Kind = MachineEntry::Kind;

// The C library's stream is really open on an existing folder and never read.
struct Folder {
  std::vector<std::string> names;
  std::size_t next = 0;
  dirent entry = {};
};
std::map<DIR*, Folder>& folders() {
  static auto* map = new std::map<DIR*, Folder>;
  return *map;
}

Folder* known(DIR* stream) {
  if (!controlled() || folders().empty()) {
    return nullptr;
  }
  auto it = folders().find(stream);
  return it != folders().end() ? &it->second : nullptr;
}

std::vector<std::string> with_dots(std::vector<std::string> names) {
  names.insert(names.begin(), {"./", "../"});
  return names;
}

void fill(dirent& entry, std::string name, std::size_t position) {
  bool folder = name.ends_with('/');
  if (folder) {
    name.pop_back();
  }
  entry = {};
  entry.d_ino = 1;
  entry.d_off = static_cast<off_t>(position);
  entry.d_reclen = sizeof entry;
  entry.d_type = folder ? DT_DIR : DT_REG;
  std::strncpy(entry.d_name, name.c_str(), sizeof entry.d_name - 1);
}

dirent* read_next(Folder& folder) {
  if (folder.next == folder.names.size()) {
    return nullptr;
  }
  fill(folder.entry, folder.names[folder.next], folder.next + 1);
  ++folder.next;
  return &folder.entry;
}

int missing() {
  errno = ENOENT;
  return -1;
}

// Returns 0 or -1 with errno set; nothing may be written or executed.
int allows(const MachineEntry& entry, int mode) {
  if (entry.kind == Kind::kMissing) {
    return missing();
  }
  if ((mode & W_OK) != 0 || ((mode & X_OK) != 0 && entry.kind == Kind::kFile)) {
    errno = EACCES;
    return -1;
  }
  return 0;
}

int list(const MachineEntry& entry, dirent*** result, int (*wanted)(const dirent*),
         int (*compare)(const dirent**, const dirent**)) {
  if (entry.kind != Kind::kFolder) {
    errno = entry.kind == Kind::kFile ? ENOTDIR : ENOENT;
    return -1;
  }
  std::vector<std::string> names = with_dots(entry.names);
  auto** found = static_cast<dirent**>(malloc((names.size() + 1) * sizeof(dirent*)));
  int count = 0;
  for (const std::string& name : names) {
    dirent one;
    fill(one, name, 0);
    if (wanted == nullptr || wanted(&one) != 0) {
      found[count] = static_cast<dirent*>(malloc(sizeof one));
      *found[count++] = one;
    }
  }
  if (compare != nullptr) {
    qsort(found, static_cast<std::size_t>(count), sizeof *found,
          reinterpret_cast<int (*)(const void*, const void*)>(compare));
  }
  *result = found;
  return count;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT DIR* opendir(const char* path) {
  MachineEntry entry = machine_entry(path);
  if (entry.kind == Kind::kReal) {
    return RFF_REAL(opendir)(KernelPath(path).get());
  }
  if (entry.kind != Kind::kFolder) {
    errno = entry.kind == Kind::kFile ? ENOTDIR : ENOENT;
    return nullptr;
  }
  DIR* stream = RFF_REAL(opendir)("/");
  if (stream != nullptr) {
    folders()[stream] = {with_dots(std::move(entry.names))};
  }
  return stream;
}

RFF_EXPORT dirent* readdir(DIR* stream) {
  Folder* folder = known(stream);
  return folder != nullptr ? read_next(*folder) : RFF_REAL(readdir)(stream);
}

RFF_EXPORT dirent64* readdir64(DIR* stream) {
  static_assert(sizeof(dirent64) == sizeof(dirent));
  Folder* folder = known(stream);
  return folder != nullptr ? reinterpret_cast<dirent64*>(read_next(*folder))
                           : RFF_REAL(readdir64)(stream);
}

RFF_EXPORT int closedir(DIR* stream) {
  if (known(stream) != nullptr) {
    folders().erase(stream);
  }
  return RFF_REAL(closedir)(stream);
}

RFF_EXPORT void rewinddir(DIR* stream) noexcept {
  if (Folder* folder = known(stream)) {
    folder->next = 0;
    return;
  }
  RFF_REAL(rewinddir)(stream);
}

RFF_EXPORT long telldir(DIR* stream) noexcept {
  Folder* folder = known(stream);
  return folder != nullptr ? static_cast<long>(folder->next) : RFF_REAL(telldir)(stream);
}

RFF_EXPORT void seekdir(DIR* stream, long position) noexcept {
  if (Folder* folder = known(stream)) {
    auto wanted = static_cast<std::size_t>(position);
    folder->next = wanted < folder->names.size() ? wanted : folder->names.size();
    return;
  }
  RFF_REAL(seekdir)(stream, position);
}

RFF_EXPORT int scandir(const char* path, dirent*** result, int (*wanted)(const dirent*),
                       int (*compare)(const dirent**, const dirent**)) {
  MachineEntry entry = machine_entry(path);
  return entry.kind == Kind::kReal
             ? RFF_REAL(scandir)(KernelPath(path).get(), result, wanted, compare)
             : list(entry, result, wanted, compare);
}

RFF_EXPORT int access(const char* path, int mode) noexcept {
  MachineEntry entry = machine_entry(path);
  return entry.kind == Kind::kReal ? RFF_REAL(access)(KernelPath(path).get(), mode)
                                   : allows(entry, mode);
}

RFF_EXPORT int faccessat(int folder, const char* path, int mode, int flags) noexcept {
  MachineEntry entry = machine_entry(path);
  return entry.kind == Kind::kReal
             ? RFF_REAL(faccessat)(folder, KernelPath(path).get(), mode, flags)
             : allows(entry, mode);
}

RFF_EXPORT int euidaccess(const char* path, int mode) noexcept {
  MachineEntry entry = machine_entry(path);
  return entry.kind == Kind::kReal ? RFF_REAL(euidaccess)(KernelPath(path).get(), mode)
                                   : allows(entry, mode);
}
