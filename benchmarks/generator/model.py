"""All interleavings of a generated program: whether its bug can happen, and how probable it is under a random walk.

A step is one shared access or one operation; every thread that can take one is equally likely, and all threads have started. Real
runs have more steps (threads are created one after the other), so real rates differ somewhat."""
import re
import sys

from . import language as l

FAILED = "failed"


class TooLarge(Exception):
    pass


def compile_thread(statements, tables):
    """A list of instructions (name, operands…); jumps name the index of their target."""
    code = []

    def expression(text):
        return eval("lambda v: " + _with_locals(text, tables), {"tables": tables})

    def place(text):
        name, _, index = text.partition("[")
        return name, expression(index[:-1]) if index else (lambda v: 0)

    def emit(block, exits):
        for s in block:
            match s:
                case l.Set(local, value):
                    code.append(("set", local, expression(value)))
                case l.Read(local, shared):
                    code.append(("read", local, place(shared)))
                case l.Write(shared, value):
                    code.append(("write", place(shared), expression(value)))
                case l.FetchAdd(local, shared, value):
                    code.append(("add", local, place(shared), expression(value)))
                case l.CompareAndSwap(local, shared, old, new):
                    code.append(("cas", local, place(shared), expression(old), expression(new)))
                case l.Lock(mutex):
                    code.append(("lock", mutex))
                case l.Unlock(mutex):
                    code.append(("unlock", mutex))
                case l.Wait(condition, mutex):
                    code.append(("wait", condition, mutex))
                    code.append(("lock", mutex))
                case l.Signal(condition):
                    code.append(("signal", condition))
                case l.Broadcast(condition):
                    code.append(("broadcast", condition))
                case l.Yield() | l.Sleep():
                    pass
                case l.If(condition, body):
                    jump = len(code)
                    code.append(None)
                    emit(body, exits)
                    code[jump] = ("unless", expression(condition), len(code))
                case l.Repeat(counter, times, body):
                    for i in range(times):
                        code.append(("set", counter, lambda v, i=i: i))
                        emit(body, exits)
                case l.Loop(body):
                    begin, own = len(code), []
                    emit(body, own)
                    code.append(("unless", lambda v: False, begin))
                    for at, test in own:
                        code[at] = ("unless", lambda v, test=test: not test(v), len(code))
                case l.Break(condition):
                    exits.append((len(code), expression(condition)))
                    code.append(None)
                case l.Return(condition):
                    code.append(("return", expression(condition)))
                case l.Fail(condition):
                    code.append(("fail", expression(condition)))

    emit(statements, [])
    return code


def _with_locals(text, tables):
    def name(match):
        word = match[0]
        return word if word in ("and", "or", "not") else f"tables['{word}']" if word in tables else f"v.get('{word}', 0)"

    return re.sub(r"[A-Za-z_]\w*", name, text)


class Model:
    def __init__(self, program, most_states=200_000):
        self.tables, self.most_states = program.tables, most_states
        self.threads = [compile_thread(t, program.tables) for t in program.threads]
        places = {}
        for i, thread in enumerate(program.threads):
            places.setdefault(thread, []).append(i)
        self.alike = [group for group in places.values() if len(group) > 1]
        self.check = compile_thread(program.check, program.tables)
        self.shared = {n: tuple(v) if isinstance(v, list) else (v,) for n, v in program.shared.items()}

    # A state: ((pc, locals, waits for) of each thread, shared values, mutexes that are held). `locals` is a sorted tuple of pairs;
    # a thread that waits for a condition names it. Threads with the same code are sorted: it does not matter which is which.
    def start(self):
        state = tuple((0, (), None) for _ in self.threads), tuple(sorted(self.shared.items())), ()
        for i in range(len(self.threads)):
            state = self._go_on(state, i)
            if state == FAILED:
                return state
        return self._sorted(state)

    def _sorted(self, state):
        if state == FAILED:
            return state
        threads = list(state[0])
        for group in self.alike:
            for i, thread in zip(group, sorted((threads[i] for i in group), key=repr)):
                threads[i] = thread
        return tuple(threads), state[1], state[2]

    def enabled(self, state):
        threads, _, held = state
        able = []
        for i, (pc, _, waits) in enumerate(threads):
            if pc >= len(self.threads[i]) or waits is not None:
                continue
            op = self.threads[i][pc]
            if op[0] != "lock" or op[1] not in held:
                able.append(i)
        return able

    def ended(self, state):
        return all(pc >= len(self.threads[i]) for i, (pc, _, _) in enumerate(state[0]))

    def _go_on(self, state, i):
        """Does what thread i does alone, up to its next step. Returns FAILED if it fails."""
        threads, shared, held = state
        pc, local, waits = threads[i]
        code, v = self.threads[i], dict(local)
        pc = self._private(code, pc, v)
        if pc == FAILED:
            return FAILED
        changed = (pc, tuple(sorted(v.items())) if pc < len(code) else (), waits)
        return threads[:i] + (changed,) + threads[i + 1:], shared, held

    @staticmethod
    def _private(code, pc, v):
        while pc < len(code):
            op = code[pc]
            if op[0] == "set":
                v[op[1]] = op[2](v)
            elif op[0] == "unless":
                if not op[1](v):
                    pc = op[2]
                    continue
            elif op[0] == "return":
                if op[1](v):
                    return len(code)
            elif op[0] == "fail":
                if op[1](v):
                    return FAILED
            else:
                break
            pc += 1
        return pc

    @staticmethod
    def _access(op, v, memory):
        def at(place):
            return place[0], place[1](v)

        def put(place, value):
            name, index = at(place)
            values = list(memory[name])
            values[index] = value
            memory[name] = tuple(values)

        def get(place):
            name, index = at(place)
            return memory[name][index]

        if op[0] == "read":
            v[op[1]] = get(op[2])
        elif op[0] == "write":
            put(op[1], op[2](v))
        elif op[0] == "add":
            before = get(op[2])
            put(op[2], before + op[3](v))
            v[op[1]] = before
        elif op[0] == "cas":
            success = get(op[2]) == op[3](v)
            if success:
                put(op[2], op[4](v))
            v[op[1]] = int(success)

    def steps(self, state, i):
        """The states after thread i's step: [(share, state)]; more than one if a signal may wake several."""
        threads, shared, held = state
        pc, local, _ = threads[i]
        op, v, memory, held = self.threads[i][pc], dict(local), dict(shared), set(held)
        wakes = [[]]
        waits = None
        if op[0] == "lock":
            held.add(op[1])
        elif op[0] == "unlock":
            held.discard(op[1])
        elif op[0] == "wait":
            held.discard(op[2])
            waits = op[1]
        elif op[0] in ("signal", "broadcast"):
            waiters = [j for j, t in enumerate(threads) if t[2] == op[1]]
            wakes = [waiters] if op[0] == "broadcast" or not waiters else [[j] for j in waiters]
        else:
            self._access(op, v, memory)
        result = []
        for woken in wakes:
            after = list(threads)
            after[i] = (pc + 1, tuple(sorted(v.items())), waits)
            for j in woken:
                after[j] = (after[j][0], after[j][1], None)
            next_state = tuple(after), tuple(sorted(memory.items())), tuple(sorted(held))
            result.append((1 / len(wakes), self._sorted(next_state if waits else self._go_on(next_state, i))))
        return result

    def fails_at_end(self, state):
        memory, v, pc = dict(state[1]), {}, 0
        while True:
            pc = self._private(self.check, pc, v)
            if pc == FAILED:
                return True
            if pc >= len(self.check):
                return False
            self._access(self.check[pc], v, memory)
            pc += 1

    def outcome(self, state):
        """None while the run goes on; otherwise whether it failed."""
        if state == FAILED:
            return True
        if self.enabled(state):
            return None
        return not self.ended(state) or self.fails_at_end(state)

    def can_fail(self):
        """Whether some interleaving fails. Raises TooLarge."""
        start = self.start()
        seen, left = {start}, [start]
        while left:
            state = left.pop()
            outcome = self.outcome(state)
            if outcome:
                return True
            if outcome is None:
                for i in self.enabled(state):
                    for _, after in self.steps(state, i):
                        if after not in seen:
                            seen.add(after)
                            left.append(after)
                if len(seen) > self.most_states:
                    raise TooLarge()
        return False

    def probability(self):
        """That a random walk fails. Raises TooLarge, also if the program can go in circles."""
        known, open_ = {}, set()

        def of(state):
            if state in known:
                return known[state]
            if state in open_ or len(known) > self.most_states:
                raise TooLarge()
            outcome = self.outcome(state)
            if outcome is not None:
                known[state] = float(outcome)
                return known[state]
            open_.add(state)
            able = self.enabled(state)
            result = sum(share * of(after) for i in able for share, after in self.steps(state, i)) / len(able)
            open_.discard(state)
            known[state] = result
            return result

        sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))
        return of(self.start())
