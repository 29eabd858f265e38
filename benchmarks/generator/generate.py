"""Makes the program of a number: its kind, the kind's own choices, and noise around it."""
import random as _random

from . import language as l
from .emit import c_source
from .kinds import KINDS
from .model import Model, TooLarge


class Generated:
    """`plain` is the program without noise: what the model looks at."""

    def __init__(self, number, fixed=False):
        random = _random.Random(f"rff {number}")
        names = sorted(KINDS)
        self.number, self.fixed = number, fixed
        self.kind = names[number % len(names)]
        self.plain = KINDS[self.kind](random, fixed)
        self.noise = _noise(random)
        self.program = _with_noise(random, self.plain, self.noise)
        self.name = f"g{number:04d}_{self.kind}" + ("_fixed" if fixed else "")
        self.expect = "none" if fixed else self.plain.expect

    def can_fail(self, most_states=200_000):
        """None if there are too many states to know."""
        try:
            return Model(self.plain, most_states).can_fail()
        except TooLarge:
            return None

    def probability(self, most_states=50_000):
        """The probability of the bug under a random walk; None if there are too many states to know."""
        try:
            return Model(self.program, most_states).probability()
        except TooLarge:
            return None

    def source(self):
        comment = f"Generated program {self.number}: {self.plain.says}.\nDepth {self.plain.depth}; noise: {self.noise}."
        return c_source(self.program, "The mended form of:\n" + comment if self.fixed else comment)


def _noise(random):
    """Accesses to other shared variables: before each thread's own work, and between its statements (a share in percent)."""
    amount = random.choice(["none", "little", "between", "prefix", "threads"])
    return {"none": Noise(), "little": Noise(between=15), "between": Noise(between=50), "prefix": Noise(prefix=random.choice([5, 20, 60])),
            "threads": Noise(between=10, threads=random.randint(1, 3))}[amount]


class Noise:
    def __init__(self, prefix=0, between=0, threads=0):
        self.prefix, self.between, self.threads = prefix, between, threads

    def __str__(self):
        parts = [f"{self.prefix} accesses before the rest" * bool(self.prefix), f"after {self.between} % of the statements" * bool(self.between),
                 f"{self.threads} more threads" * bool(self.threads)]
        return ", ".join(p for p in parts if p) or "none"


VARIABLES = ("noise0", "noise1", "noise2")


def _with_noise(random, plain, noise):
    if not (noise.prefix or noise.between or noise.threads):
        return plain
    shared = dict(plain.shared) | {name: 0 for name in VARIABLES}
    kinds = {thread: _thread_with_noise(random, thread, noise) for thread in dict.fromkeys(plain.threads)}
    threads = [kinds[t] for t in plain.threads]
    for _ in range(noise.threads):
        threads.append(tuple(s for _ in range(random.randint(3, 8)) for s in _access(random)))
    return l.Program(plain.kind, plain.expect, shared, threads, plain.check, plain.tables, plain.says, plain.depth)


def _thread_with_noise(random, thread, noise):
    if noise.prefix:
        name = random.choice(VARIABLES)
        return (l.Repeat("z", noise.prefix, (l.Read("noise", name), l.Write(name, "noise + 1"))), *thread)
    return _between(random, thread, noise.between)


def _between(random, statements, share):
    result = []
    for s in statements:
        if isinstance(s, (l.If, l.Repeat, l.Loop)):
            fields = dict(s.__dict__) | {"body": _between(random, s.body, share)}
            s = type(s)(**fields)
        result.append(s)
        if random.randrange(100) < share:
            result += _access(random)
    return tuple(result)


def _access(random):
    name = random.choice(VARIABLES)
    return random.choice([[l.Read("noise", name)], [l.Write(name, str(random.randint(0, 9)))], [l.Read("noise", name), l.Write(name, "noise + 1")]])
