"""The kinds of generated programs: one function each, from a random number generator to a Program. With `fixed` the bug is mended."""
from .language import (Break, Broadcast, CompareAndSwap, Fail, FetchAdd, If, Lock, Loop, Program, Read, Repeat, Return, Set, Signal, Unlock, Wait, Write,
                       Yield)

KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


def under(mutex, *statements):
    return (Lock(mutex), *statements, Unlock(mutex))


@kind
def lost_update(random, fixed):
    """Threads add to a counter in two steps. Only some number of lost updates does harm."""
    workers, rounds = random.randint(2, 4), random.randint(1, 3)
    lost = random.randint(1, min(3, workers * rounds - min(rounds, 2)))
    add = (Read("t", "x"), Write("x", "t + 1"))
    body = (Repeat("i", rounds, under("m", *add) if fixed else add),)
    total = workers * rounds
    return Program("lost_update", "assert", {"x": 0}, [body] * workers, (Read("t", "x"), Fail(f"t == {total - lost}")),
                   says=f"fails if exactly {lost} of {total} updates are lost", depth=2 * lost)


@kind
def check_then_act(random, fixed):
    """A thread looks at a pointer twice; another one clears it for a moment."""
    users, moments = random.randint(1, 3), random.randint(1, 3)
    use = (Read("t", "p"), If("t != 0", (Read("t", "p"), Fail("t == 0"))))
    clear = (Write("p", "0"), Write("p", "1"))
    if fixed:
        use, clear = under("m", *use), under("m", *clear)
    threads = [use] * users + [(Repeat("i", moments, clear),)]
    return Program("check_then_act", "assert", {"p": 1}, threads, says="fails if the pointer is cleared between check and use", depth=2)


@kind
def torn_pair(random, fixed):
    """Two variables belong together; a reader takes them in two critical sections and notices some values only."""
    rounds = random.randint(2, 5)
    wanted = random.randint(1, rounds - 1)
    write = under("m", FetchAdd("t", "a", "1"), FetchAdd("t", "b", "1")) if fixed else (*under("m", FetchAdd("t", "a", "1")), *under("m", FetchAdd("t", "b", "1")))
    read = under("m", Read("a1", "a"), Read("b1", "b"))
    threads = [(Repeat("i", rounds, write),), (*read, Fail(f"a1 == {wanted + 1} and b1 == {wanted}"))]
    return Program("torn_pair", "assert", {"a": 0, "b": 0}, threads, says=f"fails if the reader comes inside update {wanted + 1}", depth=2)


@kind
def order_chain(random, fixed):
    """Each thread takes one step of a chain if it finds the step before it done; the chain must never be completed."""
    depth = random.randint(2, 5)
    threads = []
    for i in reversed(range(depth)) if random.random() < 0.7 else range(depth):
        threads.append((Read("t", "step"), If(f"t == {i}", (Write("step", f"{i + 1}"),))))
    if fixed:
        threads = [t for i, t in enumerate(threads) if i != 0]
    return Program("order_chain", "assert", {"step": 0}, threads, (Read("t", "step"), Fail(f"t == {depth}")),
                   says=f"fails if {depth} threads take their steps in one order", depth=depth - 1)


@kind
def use_before_init(random, fixed):
    """A thread prepares parts one after the other; another one uses a late part as soon as an early one is there."""
    parts = random.randint(2, 6)
    early = random.randint(0, parts - 2)
    init = tuple(Write(f"part[{i}]", "1") for i in range(parts))
    use = (Read("t", f"part[{parts - 1 if fixed else early}]"), If("t", (Read("u", f"part[{parts - 1}]"), Fail("u == 0"))))
    return Program("use_before_init", "assert", {"part": [0] * parts}, [init] + [use] * random.randint(1, 2),
                   says=f"fails if part {parts - 1} is used after part {early} is there and before it is", depth=2)


@kind
def lost_wakeup(random, fixed):
    """The predicate is looked at before the lock is taken, so the signal may come before the wait."""
    waiters, rounds = random.randint(1, 3), random.randint(1, 2)
    wait = (*under("m", Loop((Read("t", "ready"), Break("t"), Wait("c", "m")))),) if fixed else (Read("t", "ready"), If("not t", under("m", Wait("c", "m"))))
    post = (*under("m", Write("ready", "1"), Broadcast("c")),) if fixed else (Write("ready", "1"), *under("m", Broadcast("c")))
    work = tuple(s for _ in range(rounds) for s in (Read("w", "work"), Write("work", "w + 1")))
    return Program("lost_wakeup", "deadlock", {"ready": 0, "work": 0}, [wait] * waiters + [(*work, *post)],
                   says="hangs if the signal comes between the look at the flag and the wait", depth=2)


@kind
def wrong_waiter(random, fixed):
    """A buffer with one condition for both sides and one signal: it may wake the wrong side."""
    producers, consumers = random.choice([(1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (2, 3)])
    items = random.randint(1, min(producers, consumers))
    wake = Broadcast("c") if fixed else Signal("c")
    put = under("m", Loop((Read("t", "full"), Break(f"t < {items}"), Wait("c", "m"))), Write("full", "t + 1"), wake)
    take = under("m", Loop((Read("t", "full"), Break("t > 0"), Wait("c", "m"))), Write("full", "t - 1"), wake)
    threads = [(Repeat("i", 2 * consumers, put),)] * producers + [(Repeat("i", 2 * producers, take),)] * consumers
    return Program("wrong_waiter", "deadlock", {"full": 0}, threads, says="hangs if a signal wakes a thread that waits for something else", depth=4)


@kind
def if_not_while(random, fixed):
    """A consumer does not look again after its wait."""
    consumers = random.randint(2, 3)
    look = Loop((Read("t", "items"), Break("t > 0"), Wait("c", "m"))) if fixed else (Read("t", "items"), If("t == 0", (Wait("c", "m"),)))
    look = (look,) if fixed else look
    take = under("m", *look, Read("t", "items"), Fail("t <= 0"), Write("items", "t - 1"))
    put = under("m", Read("t", "items"), Write("items", "t + 1"), Broadcast("c"))
    return Program("if_not_while", "assert", {"items": 0}, [take] * consumers + [(Repeat("i", consumers, put),)],
                   says="fails if another consumer comes between the signal and the waiter", depth=3)


@kind
def lock_cycle(random, fixed):
    """Threads take neighbouring locks of a ring; some do so only after a flag has changed."""
    locks = random.randint(2, 4)
    gated = random.random() < 0.5
    threads = []
    for i in range(locks):
        first, second = f"m{i}", f"m{(i + 1) % locks}"
        if fixed and i == locks - 1:
            first, second = second, first
        body = (*under(first, Read("t", "x"), *under(second, Write("x", "t + 1"))),)
        if gated and i == 0:
            body = (Read("g", "gate"), If("g", body))
        threads.append(body)
    if gated:
        threads.append((Write("gate", "1"),))
    return Program("lock_cycle", "deadlock", {"x": 0, "gate": 0}, threads, says=f"{locks} locks are taken in a circle", depth=locks)


@kind
def aba(random, fixed):
    """A stack of indices: a node that was popped and pushed again passes the compare-and-swap."""
    nodes = random.randint(3, 4)
    # With `fixed` the head carries a version: head = 100 * version + node.
    index, bump = ("h % 100", "(h - h % 100) + 100 + ") if fixed else ("h", "")

    def pop(name):
        return Loop((Read("h", "head"), Set(name, index), Break(f"{name} == 0"), Read("n", f"next[{name}]"), CompareAndSwap("ok", "head", "h", bump + "n"), Break("ok")))

    def push(name):
        return Loop((Read("h", "head"), Write(f"next[{name}]", index), CompareAndSwap("ok", "head", "h", bump + name), Break("ok")))

    def claim(name):
        return If(f"{name} != 0", (FetchAdd("was", f"taken[{name}]", "1"), Fail("was != 0")))

    def give(name):
        return If(f"{name} != 0", (FetchAdd("was", f"taken[{name}]", "-1"), push(name)))

    slow = (pop("a"), claim("a"), pop("b"), claim("b"))
    fast = (pop("a"), claim("a"), pop("b"), claim("b"), give("a"))
    shared = {"head": 1, "next": [0] + [i + 1 if i < nodes else 0 for i in range(1, nodes + 1)], "taken": [0] * (nodes + 1)}
    return Program("aba", "assert", shared, [slow, fast], says="a node is taken twice after another thread popped two and pushed one", depth=3)


@kind
def publication(random, fixed):
    """A flag is set before all of what it stands for."""
    fields = random.randint(1, 4)
    late = random.randint(1, fields)
    writes = [Write(f"data[{i}]", "1") for i in range(fields)]
    body = (*writes, Write("ready", "1")) if fixed else (*writes[:fields - late], Write("ready", "1"), *writes[fields - late:])
    read = (Read("r", "ready"), If("r", (Read("d", f"data[{fields - 1}]"), Fail("d == 0"))))
    rounds = random.randint(1, 3)
    return Program("publication", "assert", {"ready": 0, "data": [0] * fields}, [body] + [(Repeat("i", rounds, read),)] * random.randint(1, 2),
                   says=f"fails if a reader comes after the flag and before the last of {late} writes", depth=2)


def watcher_program(name, random, fixed, body_of, tables):
    steps = random.randint(4, 9)
    looks = random.randint(1, 3)
    wanted = sorted(random.sample(range(1, steps), looks))
    count = (Repeat("i", steps, (Read("t", "x"), Write("x", "t + 1"))),)
    if fixed:
        wanted[-1] = steps + 1
    return Program(name, "assert", {"x": 0}, [count, body_of(wanted)], tables={"wanted": wanted} if tables else {},
                   says=f"fails if the counter is looked at when it is {', '.join(map(str, wanted))}", depth=2 * looks)


@kind
def counter(random, fixed):
    """A thread must look at a counter at certain values, one look after the other."""
    def looks(wanted):
        body = [s for w in wanted for s in (Read("v", "x"), Return(f"v != {w}"))]
        return (*body, Fail("1"))

    return watcher_program("counter", random, fixed, looks, False)


@kind
def table_of_values(random, fixed):
    """The same in a loop over a table: one place of the code wants another value in each round."""
    def looks(wanted):
        return (Repeat("i", len(wanted), (Read("v", "x"), Return("v != wanted[i]"))), Fail("1"))

    return watcher_program("table_of_values", random, fixed, looks, True)


@kind
def many_threads(random, fixed):
    """Many writers of two variables and one reader that must come between two writes of the first one."""
    writers = random.randint(6, 30)
    write = (Write("a", "1"), Write("b", "-1"))
    read = (Read("t", "a"), Read("u", "b"), Fail("not ((t == 0 and u == 0) or (t == 1 and u == -1))"))
    if fixed:
        write, read = under("m", *write), under("m", *read)
    threads = [write] * writers + [read]
    return Program("many_threads", "assert", {"a": 0, "b": 0}, threads, says=f"the reader must come between the two writes before {writers} others", depth=2)


@kind
def two_stages(random, fixed):
    """Two critical sections where there should be one; readers look into both."""
    writers, readers = random.randint(1, 5), random.randint(1, 5)
    write = under("m", Write("a", "1"), Write("b", "1")) if fixed else (*under("m", Write("a", "1")), *under("k", Write("b", "1")))
    if fixed:
        read = under("m", Read("t", "a"), Read("u", "b"), Fail("t and not u"))
    else:
        read = (*under("m", Read("t", "a")), If("t", (*under("k", Read("u", "b")), Fail("not u"))))
    return Program("two_stages", "assert", {"a": 0, "b": 0}, [write] * writers + [read] * readers,
                   says="a reader comes between the two critical sections of the first writer", depth=2)


@kind
def alternation(random, fixed):
    """Two threads raise each other's variable; only strict turns reach the maximum."""
    rounds = random.randint(2, 5)
    start = 2
    left = (Repeat("i", rounds, (Read("t", "right"), Write("left", "t + 1"))),)
    right = (Repeat("i", rounds, (Read("t", "left"), Write("right", "t + 1"))),)
    most = start + 2 * rounds + (1 if fixed else 0)
    return Program("alternation", "assert", {"left": 1, "right": start}, [left, right],
                   (Read("a", "left"), Read("b", "right"), Fail(f"a >= {most} or b >= {most}")), says=f"only {2 * rounds} steps in turns reach {most}", depth=2 * rounds)


@kind
def broken_lock(random, fixed):
    """A lock made of a flag: looked at first, set afterwards."""
    workers, rounds = random.randint(2, 3), random.randint(1, 2)
    if fixed:
        enter = (Loop((CompareAndSwap("ok", "flag", "0", "1"), Break("ok"), Yield())),)
    else:
        enter = (Loop((Read("t", "flag"), Break("t == 0"), Yield())), Write("flag", "1"))
    inside = (FetchAdd("n", "inside", "1"), Fail("n != 0"), FetchAdd("n", "inside", "-1"))
    return Program("broken_lock", "assert", {"flag": 0, "inside": 0}, [(Repeat("i", rounds, (*enter, *inside, Write("flag", "0"))),)] * workers,
                   says="two threads see the flag clear before one sets it", depth=2)


@kind
def reference_count(random, fixed):
    """References are given back in two steps: two threads may both leave the last one, or free it too early."""
    users = random.randint(2, 3)
    drop = (FetchAdd("r", "refs", "-1"), Set("r", "r - 1")) if fixed else (Read("r", "refs"), Write("refs", "r - 1"), Set("r", "r - 1"))
    body = (Read("f", "freed"), Fail("f"), *drop, If("r == 0", (Write("freed", "1"),)))
    return Program("reference_count", "assert", {"refs": users, "freed": 0}, [body] * users, (Read("f", "freed"), Fail("not f")),
                   says="a reference is lost between reading the count and writing it", depth=2)
