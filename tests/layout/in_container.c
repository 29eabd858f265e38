// in_container [--no-set-mm] COMMAND [ARGS…]: runs the command as container engines do by default:
// without capabilities, below a filter of system calls that leaves address randomisation on.
// --no-set-mm also takes away prctl(PR_SET_MM).
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fail(const char* what) {
  fprintf(stderr, "in_container: %s: %s\n", what, strerror(errno));
  return 99;
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

// As the profile of Docker, Podman and containerd has it.
static int install_filter(int refuse_set_mm) {
  struct sock_filter filter[] = {
      LOAD(nr),
      IF_EQUAL(SYS_personality, 0, 8),
      LOAD(args[0]),
      IF_EQUAL(0, 5, 0),
      IF_EQUAL(8, 4, 0),
      IF_EQUAL(0x20000, 3, 0),
      IF_EQUAL(0x20008, 2, 0),
      IF_EQUAL(0xffffffff, 1, 0),
      REFUSE,
      ALLOW,
      IF_EQUAL(SYS_prctl, 0, 3),
      LOAD(args[0]),
      IF_EQUAL(refuse_set_mm ? PR_SET_MM : 0xffffffff, 0, 1),
      REFUSE,
      ALLOW,
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int drop_capabilities(void) {
  for (unsigned long c = 0; prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; ++c) {
    prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
  }
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  return (int)syscall(SYS_capset, &header, none);
}

int main(int argc, char** argv) {
  int first = argc > 1 && strcmp(argv[1], "--no-set-mm") == 0 ? 2 : 1;
  if (argc <= first) {
    errno = EINVAL;
    return fail("no command");
  }
  personality(0);  // whoever started us may have switched randomisation off
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || drop_capabilities() != 0 ||
      install_filter(first == 2) != 0) {
    return fail("cannot give up rights");
  }
  if (personality(ADDR_NO_RANDOMIZE) != -1 || errno != EPERM) {
    return fail("the filter does not work");
  }
  execvp(argv[first], argv + first);
  return fail(argv[first]);
}
