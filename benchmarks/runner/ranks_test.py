import os
import shutil
import tempfile
import unittest
import xml.etree.ElementTree

from runner import charts, ranks


def row(**means):
    return {"subject": "s", "expect": "assert", "cells": {s: {"trials": 2, "found": 2, "sample": [(m, True), (m, True)]} for s, m in means.items()}}


class RanksTest(unittest.TestCase):
    def test_equal_values_share_their_places(self):
        self.assertEqual(ranks.ranks_of([3, 1, 3, 9]), [2.5, 1, 2.5, 4])

    def test_critical_values_are_those_of_the_textbook(self):
        # Demšar, Table 5(a).
        for k, expected in ((2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031), (9, 3.102), (10, 3.164)):
            self.assertAlmostEqual(ranks.nemenyi(k), expected, delta=0.001)

    def test_the_example_of_the_textbook(self):
        # Demšar, Section 3.2.2: four classifiers on 14 data sets, a critical difference of 1.25.
        found = ranks.average_ranks([row(a=1, b=2, c=3, d=4)] * 14, ["d", "a", "b", "c"], 500)
        self.assertEqual(found.average, {"a": 1, "b": 2, "c": 3, "d": 4})
        self.assertAlmostEqual(found.critical, 1.25, places=2)
        self.assertEqual(found.groups(), [(0, 1), (1, 2), (2, 3)])

    def test_the_text_has_ranks_and_critical_difference(self):
        text = ranks.Ranks({"b": 1.25, "a": 1.75}, 4, 0.98).text()
        self.assertTrue(text.startswith("Average rank over 4 rows: b 1.25, a 1.75; differences below 0.98 "), text)

    def test_what_was_not_found_counts_with_the_limit(self):
        missed = row(a=10, b=20)
        missed["cells"]["a"]["sample"] = [(500, False), (10, True)]
        self.assertEqual(list(ranks.average_ranks([missed], ["a", "b"], 500).average), ["b", "a"])

    def test_rows_without_a_bug_or_with_missing_trials_do_not_count(self):
        correct, partial = row(a=1, b=2), row(a=1)
        correct["expect"] = "none"
        self.assertIsNone(ranks.average_ranks([correct, partial], ["a", "b"], 500))

    def test_a_group_within_another_has_no_bar(self):
        self.assertEqual(ranks.Ranks({"a": 1, "b": 1.5, "c": 1.9, "d": 4}, 9, 1.0).groups(), [(0, 2)])

    @unittest.skipIf(shutil.which("gnuplot") is None, "there is no gnuplot")
    def test_the_diagram_has_every_name(self):
        chart = svg_of(ranks.Ranks({"a": 1.25, "b": 1.5, "c": 3}, 9, 1.0))
        texts = ["".join(element.itertext()).strip() for element in chart.iter("{http://www.w3.org/2000/svg}text")]
        self.assertTrue({"a 1.25", "b 1.50", "c 3.00"} <= set(texts))


def svg_of(found):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.svg")
        charts.write(path, [ranks.Diagram(found)])
        return xml.etree.ElementTree.parse(path).getroot()


if __name__ == "__main__":
    unittest.main()
