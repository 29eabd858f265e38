import os
import subprocess
import tempfile
import unittest

from generator import language as l
from generator.emit import c_source
from generator.generate import Generated
from generator.kinds import KINDS
from generator.model import Model


def program(*threads, shared=None, check=()):
    return l.Program("test", "assert", shared or {"x": 0}, list(threads), check)


class ModelTest(unittest.TestCase):
    def test_a_lost_update_has_the_probability_computed_by_hand(self):
        add = (l.Read("t", "x"), l.Write("x", "t + 1"))
        # Six interleavings; the two without overlap come first with 1/2 * 1/2 each (the second step of the first thread).
        model = Model(program(add, add, check=(l.Read("t", "x"), l.Fail("t != 2"))))
        self.assertAlmostEqual(model.probability(), 1 / 2)

    def test_threads_wait_for_mutexes_and_conditions(self):
        wait = (l.Lock("m"), l.Wait("c", "m"), l.Unlock("m"))
        signal = (l.Lock("m"), l.Signal("c"), l.Unlock("m"))
        # Stuck if the signal comes first: whoever takes the lock first decides.
        self.assertAlmostEqual(Model(program(wait, signal)).probability(), 1 / 2)

    def test_a_signal_wakes_any_waiter(self):
        def wait(value):
            return (l.Lock("m"), l.FetchAdd("n", "waiting", "1"), l.Wait("c", "m"), l.Write("x", value), l.Unlock("m"))
        signal = (l.Lock("m"), l.Read("n", "waiting"), l.If("n == 2", (l.Signal("c"),)), l.Unlock("m"))
        result = Model(program(wait("1"), wait("2"), signal, shared={"x": 0, "waiting": 0}))
        ends = set()
        left, seen = [result.start()], set()
        while left:
            state = left.pop()
            if not result.enabled(state):
                ends.add(dict(state[1])["x"])
            for i in result.enabled(state):
                left += [s for _, s in result.steps(state, i) if s not in seen]
                seen |= set(left)
        self.assertEqual(ends, {(0,), (1,), (2,)})

    def test_loops_end_at_their_break_and_functions_at_their_return(self):
        count = (l.Loop((l.FetchAdd("t", "x", "1"), l.Break("t == 2"))), l.Return("t == 2"), l.Fail("1"))
        self.assertEqual(Model(program(count, check=(l.Read("t", "x"), l.Fail("t == 3")))).probability(), 1)


class GeneratedTest(unittest.TestCase):
    def test_every_bug_can_happen_and_no_mended_program_fails(self):
        for number in range(6 * len(KINDS)):
            with self.subTest(number=number):
                self.assertIsNot(Generated(number).can_fail(20_000), False)
                self.assertIsNot(Generated(number, fixed=True).can_fail(20_000), True)

    def test_a_number_always_gives_the_same_program(self):
        self.assertEqual(Generated(7).source(), Generated(7).source())
        self.assertNotEqual(Generated(7).source(), Generated(7 + len(KINDS)).source())

    def test_all_kinds_and_kinds_of_noise_come(self):
        generated = [Generated(n) for n in range(10 * len(KINDS))]
        self.assertEqual({g.kind for g in generated}, set(KINDS))
        self.assertGreater(len({str(g.noise) for g in generated}), 4)

    def test_the_c_program_does_what_the_model_does(self):
        """One thread after the other: a program without other threads ends alike in both."""
        threads = [(l.Repeat("i", 3, (l.FetchAdd("t", "a[i]", "i + 1"), l.If("t == 0 and i > 0", (l.Write("x", "i"),)))),
                    l.CompareAndSwap("ok", "x", "2", "7"), l.Loop((l.Read("t", "x"), l.Break("t > 8"), l.Write("x", "t + 1"))))]
        for expected in (8, 9):
            p = program(*threads, shared={"x": 0, "a": [0, 0, 0]},
                        check=(l.Read("t", "x"), l.Read("u", "a[2]"), l.Fail(f"t == {expected} and u == 3")))
            with tempfile.TemporaryDirectory() as folder:
                source, binary = os.path.join(folder, "p.c"), os.path.join(folder, "p")
                with open(source, "w") as file:
                    file.write(c_source(p, "A test."))
                subprocess.run(["gcc", "-Wall", "-Werror", "-pthread", source, "-o", binary], check=True)
                failed = subprocess.run([binary], stderr=subprocess.DEVNULL).returncode != 0
            self.assertEqual(failed, Model(p).probability() == 1)
            self.assertEqual(failed, expected == 9)


if __name__ == "__main__":
    unittest.main()
