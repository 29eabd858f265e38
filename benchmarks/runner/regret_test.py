import unittest

from runner import regret


def row(name, **samples):
    cells = {s: {"sample": v, "trials": len(v)} for s, v in samples.items()}
    return {"subject": name, "expect": "assert", "cells": cells}


class RegretTest(unittest.TestCase):
    def test_the_best_is_judged_on_the_other_half_of_the_trials(self):
        lucky = [(1, True), (9, True), (1, True), (9, True)]
        steady = [(4, True)] * 4
        # On the even trials `lucky` looks best and needs 9 on the odd ones; on the odd ones `steady` does and needs 4.
        best, _ = regret.best_single({"lucky": {"sample": lucky, "trials": 4}, "steady": {"sample": steady, "trials": 4}}, "rff", 100)
        self.assertEqual(best, (9 + 4) / 2)

    def test_a_trial_without_a_finding_counts_the_limit(self):
        rows = [row("a", rff=[(100, False), (20, True)], pos=[(30, True), (30, True)])]
        (ratio, subject, own, best, name), = regret.regrets(rows, "rff", 100)
        self.assertEqual((subject, own, best, name), ("a", 60, 30, "pos"))
        self.assertEqual(ratio, 2)

    def test_few_schedules_are_no_regret(self):
        rows = [row("a", rff=[(6, True)] * 2, pos=[(1, True)] * 2), row("b", rff=[(30, True)] * 2, pos=[(10, True)] * 2)]
        self.assertEqual(regret.worst(regret.regrets(rows, "rff", 100))[1], "b")
        self.assertIsNone(regret.worst(regret.regrets(rows[:1], "rff", 100)))

    def test_significance_is_corrected_for_the_number_of_tests(self):
        worse = dict(rff=[(50 + i, True) for i in range(8)], pos=[(1 + i, True) for i in range(8)])
        slightly = dict(rff=[(t, True) for t in (5, 6, 7, 30, 40)], pos=[(t, True) for t in (2, 4, 5, 6, 9)])
        alone = regret.significantly_worse([row("a", **worse)], "rff")
        self.assertEqual(alone, [("a", "pos")])
        rows = [row("a", **worse)] + [row(f"b{i}", **slightly) for i in range(30)]
        self.assertEqual(regret.significantly_worse(rows, "rff"), [("a", "pos")])


if __name__ == "__main__":
    unittest.main()
