"""The benchmark runner. Entry point: scripts/bench."""
