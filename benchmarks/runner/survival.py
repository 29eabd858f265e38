"""Statistics of "schedules until the first bug", where some trials end without one (censored observations)."""
import math


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    """The sample standard deviation; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    m = mean(values)
    return math.sqrt(sum((v - m) ** 2 for v in values) / (len(values) - 1))


def geometric_mean(values):
    return math.exp(mean([math.log(v) for v in values]))


def log_rank(left, right):
    """The two-sided p-value that two samples of (time, found) have the same distribution of times."""
    times = sorted({t for t, found in left + right if found})
    observed = expected = variance = 0.0
    for time in times:
        at_risk_left = sum(t >= time for t, _ in left)
        at_risk = at_risk_left + sum(t >= time for t, _ in right)
        events_left = sum(t == time and found for t, found in left)
        events = events_left + sum(t == time and found for t, found in right)
        observed += events_left
        expected += events * at_risk_left / at_risk
        if at_risk > 1:
            share = at_risk_left / at_risk
            variance += events * share * (1 - share) * (at_risk - events) / (at_risk - 1)
    if variance == 0:
        return 1.0
    return math.erfc(abs(observed - expected) / math.sqrt(2 * variance))



def sooner(left, right):
    """Whether the first sample finds more often or, if equally often, sooner."""
    def rank(sample):
        return -sum(found for _, found in sample) / len(sample), mean([t for t, _ in sample])

    return bool(left) and bool(right) and rank(left) < rank(right)
