"""python3 -m unittest discover -s benchmarks -p '*_test.py' -t benchmarks"""
import unittest

from runner import summary, survival


class LogRank(unittest.TestCase):
    def test_agrees_with_the_textbook_leukaemia_trial(self):
        # Freireich et al. 1963: chi-square 16.79 on one degree of freedom.
        censored = {6: 1, 9: 1, 10: 1, 11: 1, 17: 1, 19: 1, 20: 1, 25: 1, 32: 2, 34: 1, 35: 1}
        treated = [(t, True) for t in (6, 6, 6, 7, 10, 13, 16, 22, 23)] + [(t, False) for t, n in censored.items() for _ in range(n)]
        placebo = [(t, True) for t in (1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23)]
        self.assertAlmostEqual(survival.log_rank(treated, placebo), 4.17e-5, delta=1e-7)

    def test_equal_samples_do_not_differ(self):
        self.assertEqual(survival.log_rank([(1, True)] * 20, [(1, True)] * 20), 1.0)

    def test_never_finding_is_worse_than_finding_at_once(self):
        self.assertLess(survival.log_rank([(1, True)] * 10, [(1000, False)] * 10), 0.001)


class Best(unittest.TestCase):
    @staticmethod
    def cell(times):
        return summary.cell([{"found": t is not None, "schedules": t or 5000, "schedules_run": t or 5000, "kind": "assert", "wall_seconds": 1}
                             for t in times], "assert")

    def test_marks_the_leader_and_its_equals(self):
        cells = {"rff": self.cell([5, 6, 7] * 5), "pos": self.cell([6, 7, 5] * 5), "random": self.cell([None] * 15)}
        self.assertEqual(summary.best(cells), ["rff", "pos"])

    def test_marks_nobody_when_all_are_equal(self):
        self.assertEqual(summary.best({"rff": self.cell([1] * 5), "pos": self.cell([1] * 5)}), [])


if __name__ == "__main__":
    unittest.main()
