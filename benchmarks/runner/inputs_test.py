import random
import unittest

from runner import inputs
from runner.manifest import Subject
from runner.stress import failure, random_input


class Table(unittest.TestCase):
    def test_counts_seeds_and_averages_those_that_found_it(self):
        nothing = {"scheduler": "together", "found": False}
        record = nothing | {"found": True, "schedules": 100, "seconds": 1.0}
        self.assertEqual(inputs.cell([record, record | {"schedules": 300, "seconds": 2.0}, nothing]), "2/3, 200, 1.5 s")
        self.assertEqual(inputs.cell([nothing]), "0/1")

    def test_says_how_many_runs_an_hour_of_stress_would_have(self):
        records = [{"scheduler": "stress", "found": found, "schedules": 500, "seconds": 2.0} for found in (False, True)]
        self.assertEqual(inputs.cell(records), "1 of 1,000 runs (900,000 an hour)")

    def test_an_error_is_never_a_bug_not_found(self):
        self.assertEqual(inputs.cell([{"error": "it broke"}, {"found": False}]), "error: it broke")

    def test_has_a_row_for_each_subject_and_a_column_for_each_side(self):
        records = [{"subject": "a", "scheduler": "together", "found": False}]
        self.assertEqual(
            inputs.table([Subject("a", ["a"], "assert")], ["together"], records), "| subject | together |\n|---|---|\n| `a` | 0/1 |\n"
        )

    def test_each_side_begins_without_an_input(self):
        self.assertEqual(inputs.Side("input-only").options(), ["--inputs", "none", "--input-only"])


class StressRuns(unittest.TestCase):
    def test_a_run_that_ends_by_a_signal_fails(self):
        self.assertEqual(failure(["/bin/sh", "-c", "kill -ABRT $$"], random.Random(1)), "SIGABRT")
        self.assertIsNone(failure(["/bin/sh", "-c", "exit 1"], random.Random(1)), "an exit status may be an answer")

    def test_the_input_stands_for_each_part(self):
        check = ["/bin/sh", "-c", '[ "$1" != @@ ] && [ "$2" != @@2 ] || kill -ABRT $$', "sh", "@@", "@@2"]
        self.assertIsNone(failure(check, random.Random(1)))

    def test_equal_seeds_draw_equal_inputs(self):
        one, same = random.Random(7), random.Random(7)
        self.assertEqual([random_input(one) for _ in range(100)], [random_input(same) for _ in range(100)])


if __name__ == "__main__":
    unittest.main()
