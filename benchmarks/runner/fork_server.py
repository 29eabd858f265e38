"""Speaks AFL++'s fork-server protocol with a program under rff-launch: one run costs what it costs the fuzzer, without the fuzzer."""
import ctypes
import os
import signal
import struct

MASK = (1 << 64) - 1
CONTROL, STATUS = 198, 199
INPUT_BYTES = 1 << 20

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]


def mix(x):
    for factor in (0xD6E8FEB86659FD93, 0xD6E8FEB86659FD93):
        x ^= x >> 32
        x = x * factor & MASK
    return x ^ x >> 32


def checksum(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & MASK
    return mix(h)


def schedule(seed, scheduler=1):
    """The bytes of a schedule without constraints (schedule/schedule_file.h, version 2): 1 is partial order sampling, 3 a random walk."""
    body = struct.pack("<BBBBIIIQQ", scheduler, 0, 0, 0, 3, 0, 1000, seed, 0)
    body += struct.pack("<I", 0) + struct.pack("<I", 0)            # constraints, prefix
    body += struct.pack("<BBII", 0, 1, 0, 0)                       # scheduling points: listed, none
    body += struct.pack("<IIIQII", 0, 0, 0, 0, 0, 0)               # target: path, arguments, build id, digest, input, libraries
    body += struct.pack("<B", 0)                                   # no finding
    return b"RFFSCHED" + struct.pack("<IIQQ", 2, 0, len(body), checksum(body)) + body


class Segment:
    """A System V shared memory segment, removed when it is closed."""

    def __init__(self, size):
        self.id = libc.shmget(0, size, 0o1600)
        if self.id < 0:
            raise OSError(ctypes.get_errno(), "shmget")
        self.address = libc.shmat(self.id, None, 0)

    def close(self):
        libc.shmctl(self.id, 0, None)


class ForkServer:
    def __init__(self, launcher, command, carrier):
        self.map, self.input = Segment(1 << 16), Segment(INPUT_BYTES)
        to_child, from_child = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.dup2(to_child[0], CONTROL)
            os.dup2(from_child[1], STATUS)
            null = os.open("/dev/null", os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
            environment = dict(os.environ, __AFL_SHM_ID=str(self.map.id), __AFL_SHM_FUZZ_ID=str(self.input.id), RFF_CARRIER=carrier)
            os.execve(launcher, [launcher, *command], environment)
        os.close(to_child[0])
        os.close(from_child[1])
        self.control, self.status = to_child[1], from_child[0]
        if len(os.read(self.status, 4)) != 4:
            raise RuntimeError(f"{command[0]} did not start under {launcher}")
        os.write(self.control, struct.pack("<I", 0x81000001))

    def run(self, case):
        """One run; returns the child's wait status."""
        ctypes.memmove(self.input.address, struct.pack("<I", len(case)) + case, len(case) + 4)
        os.write(self.control, b"\0\0\0\0")
        if len(os.read(self.status, 4)) != 4:
            raise RuntimeError("the fork server died")
        answer = os.read(self.status, 4)
        if len(answer) != 4:
            raise RuntimeError("the fork server died")
        return struct.unpack("<i", answer)[0]

    def faults_of_children(self):
        """Minor page faults of all runs so far (0 where an emulator's own memory hides them)."""
        with open(f"/proc/{self.pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[8])

    def close(self):
        os.close(self.control)
        os.close(self.status)
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)
        self.map.close()
        self.input.close()
