import unittest

from runner import inputs
from runner.manifest import Subject


class Table(unittest.TestCase):
    def test_counts_seeds_and_averages_those_that_found_it(self):
        record = {"found": True, "schedules": 100, "seconds": 1.0}
        self.assertEqual(inputs.cell([record, record | {"schedules": 300, "seconds": 2.0}, {"found": False}]), "2/3, 200, 1.5 s")
        self.assertEqual(inputs.cell([{"found": False}]), "0/1")

    def test_an_error_is_never_a_bug_not_found(self):
        self.assertEqual(inputs.cell([{"error": "it broke"}, {"found": False}]), "error: it broke")

    def test_has_a_row_for_each_subject_and_a_column_for_each_side(self):
        records = [{"subject": "a", "scheduler": "together", "found": False}]
        self.assertEqual(
            inputs.table([Subject("a", ["a"], "assert")], ["together"], records), "| subject | together |\n|---|---|\n| `a` | 0/1 |\n"
        )

    def test_each_side_begins_without_an_input(self):
        self.assertEqual(inputs.Side("input-only").options(), ["--inputs", "none", "--input-only"])


if __name__ == "__main__":
    unittest.main()
