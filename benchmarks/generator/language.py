"""The language of generated programs: what a thread does, one shared access or operation per statement.

Expressions are texts over a thread's own variables that mean the same in C and in Python (`and`, `or`, `not` are defined by <iso646.h>)."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Set:  # a variable of the thread
    local: str
    value: str


@dataclass(frozen=True)
class Read:
    local: str
    shared: str  # `x` or `a[EXPRESSION]`


@dataclass(frozen=True)
class Write:
    shared: str
    value: str


@dataclass(frozen=True)
class FetchAdd:
    local: str
    shared: str
    value: str


@dataclass(frozen=True)
class CompareAndSwap:
    local: str  # whether it succeeded
    shared: str
    old: str
    new: str


@dataclass(frozen=True)
class Lock:
    mutex: str


@dataclass(frozen=True)
class Unlock:
    mutex: str


@dataclass(frozen=True)
class Wait:
    condition: str
    mutex: str


@dataclass(frozen=True)
class Signal:
    condition: str


@dataclass(frozen=True)
class Broadcast:
    condition: str


@dataclass(frozen=True)
class Yield:
    pass


@dataclass(frozen=True)
class Sleep:
    microseconds: int


@dataclass(frozen=True)
class If:
    condition: str
    body: tuple


@dataclass(frozen=True)
class Repeat:
    counter: str
    times: int
    body: tuple


@dataclass(frozen=True)
class Loop:
    """Until a Break in its body."""
    body: tuple


@dataclass(frozen=True)
class Break:
    condition: str


@dataclass(frozen=True)
class Return:
    condition: str


@dataclass(frozen=True)
class Fail:
    condition: str


@dataclass
class Program:
    """`check` runs after all threads have ended. `expect`: the finding that the bug leads to; `none` for a program without one."""
    kind: str
    expect: str
    shared: dict  # name → initial value, or a list of them
    threads: list  # of tuples of statements
    check: tuple = ()
    tables: dict = field(default_factory=dict)  # constants: name → list of values
    says: str = ""  # what is wrong, and how many orderings it needs
    depth: int = 2  # the number of orderings between threads that the bug needs


def children(statement):
    return getattr(statement, "body", ())


def walk(statements):
    for s in statements:
        yield s
        yield from walk(children(s))


def mutexes(program):
    return sorted({s.mutex for thread in program.threads for s in walk(thread) if hasattr(s, "mutex")})


def conditions(program):
    names = {s.condition for thread in program.threads for s in walk(thread) if isinstance(s, (Wait, Signal, Broadcast))}
    return sorted(names)


def locals_of(statements):
    names = {s.local for s in walk(statements) if hasattr(s, "local")}
    return sorted(names)
