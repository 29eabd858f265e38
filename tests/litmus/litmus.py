"""Parses the litmus notation of README.md into flat lists of instructions with jumps."""
import os
import re
from dataclasses import dataclass, field

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
OBJECT_KINDS = {"shared": 0, "mutex": 0, "cond": 0, "sem": 0, "rwlock": 0, "barrier": 0}
# operation -> the kinds of its operands ("value" is a number, a register, or register + number)
STATEMENTS = {
    "lock": ["mutex"], "unlock": ["mutex"], "wait": ["cond", "mutex"], "signal": ["cond"], "broadcast": ["cond"],
    "down": ["sem"], "post": ["sem"], "rdlock": ["rwlock"], "wrlock": ["rwlock"], "rwunlock": ["rwlock"], "barrier": ["barrier"],
    "bump": ["shared", "value"],
}
RESULTS = {
    "cas": ["shared", "value", "value"], "add": ["shared", "value"], "swap": ["shared", "value"], "trylock": ["mutex"],
    "trydown": ["sem"], "tryrdlock": ["rwlock"], "trywrlock": ["rwlock"],
}


@dataclass
class Instruction:
    """op and operands; jumps are `branch register operator number target` (taken if the condition is false) and `jump target`."""

    op: str
    args: tuple
    result: str = ""
    source: str = ""


@dataclass
class Litmus:
    name: str
    about: str = ""
    objects: dict = field(default_factory=dict)  # name -> (kind, initial value)
    threads: list = field(default_factory=list)  # of lists of Instruction
    observed: list = field(default_factory=list)  # of (thread or None, name)

    def of_kind(self, kind):
        return [name for name, (k, _) in self.objects.items() if k == kind]


class LitmusError(Exception):
    pass


def names():
    return sorted(f[: -len(".litmus")] for f in os.listdir(CASES) if f.endswith(".litmus"))


def load(name):
    path = os.path.join(CASES, name + ".litmus")
    if not os.path.exists(path):
        raise LitmusError(f"no litmus test is called '{name}'; there are: {' '.join(names())}")
    with open(path) as file:
        return parse(name, file.read())


def parse(name, text):
    litmus, code, open_blocks = Litmus(name), None, []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith("#"):
                litmus.about += line[1:]
                continue
            words = line.split()
            if not words:
                continue
            if words[0] in OBJECT_KINDS and not (words[0] == "barrier" and code is not None):
                declare(litmus, words)
            elif words[0] == "thread":
                code = []
                litmus.threads.append(code)
            elif words[0] == "observe":
                litmus.observed = [observation(litmus, w) for w in words[1:]]
            elif words[0] in ("if", "while"):
                condition = re.fullmatch(r"(\w+) (==|!=) (-?\d+)", " ".join(words[1:]))
                if not condition:
                    raise LitmusError("a condition is: register == number, or register != number")
                open_blocks.append((words[0], len(code)))
                code.append(Instruction("branch", condition.groups(), source=line.strip()))
            elif words[0] == "end":
                kind, start = open_blocks.pop()
                if kind == "while":
                    code.append(Instruction("jump", (start,), source="end"))
                code[start].args += (len(code),)
            else:
                code.append(instruction(litmus, line.strip()))
        except (LitmusError, IndexError, KeyError) as error:
            raise LitmusError(f"{name}.litmus, line {number}: {error}") from None
    if open_blocks:
        raise LitmusError(f"{name}.litmus: a block has no end")
    return litmus


def declare(litmus, words):
    kind = words[0]
    for word in words[1:]:
        if word in OBJECT_KINDS:
            kind = word
            continue
        name, _, initial = word.partition("=")
        litmus.objects[name] = (kind, int(initial or 0))


def observation(litmus, word):
    thread, _, name = word.rpartition(":")
    if not thread and litmus.objects[name][0] != "shared":
        raise LitmusError(f"'{name}' is not a shared variable")
    return (int(thread) if thread else None, name)


def check(litmus, operand, kind):
    if kind == "value":
        if operand in litmus.objects:
            raise LitmusError(f"'{operand}' is shared: load it into a register first")
    elif litmus.objects.get(operand, ("nothing",))[0] != kind:
        raise LitmusError(f"'{operand}' is not a {kind}")
    return operand


def instruction(litmus, text):
    words = text.split()
    if words[0] in STATEMENTS:
        kinds = STATEMENTS[words[0]]
        return Instruction(words[0], tuple(check(litmus, w, k) for w, k in zip(words[1:], kinds, strict=True)), source=text)
    assignment = re.fullmatch(r"(\w+) = (.+)", text)
    if not assignment:
        raise LitmusError(f"cannot read '{text}'")
    target, right = assignment.groups()
    words = right.split()
    if words[0] in RESULTS:
        kinds = RESULTS[words[0]]
        args = tuple(check(litmus, w, k) for w, k in zip(words[1:], kinds, strict=True))
        return Instruction(words[0], args, target, text)
    if target in litmus.objects:
        check(litmus, target, "shared")
        return Instruction("store", (target, check(litmus, right, "value")), source=text)
    if right in litmus.objects:
        return Instruction("load", (check(litmus, right, "shared"),), target, text)
    return Instruction("set", (right,), target, text)
