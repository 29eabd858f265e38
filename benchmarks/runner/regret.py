"""Regret: how many more schedules the default search needs than the best single strategy, subject by subject.

The best one is chosen on half of the trials and judged on the other half, both ways round: the least of several noisy means would flatter it."""
from . import survival

FEW = 5  # where the best needs at most so many schedules, that many more are no regret


def times(cell, limit):
    """Schedules of each trial; `limit` where nothing was found."""
    return [schedules if found else limit for schedules, found in cell["sample"]]


def best_single(cells, default, limit):
    """(mean schedules, name) of the best scheduler but the default."""
    samples = {s: times(c, limit) for s, c in cells.items() if s != default and c["trials"] > 1}
    if not samples:
        return None
    judged, name = [], None
    for half in (0, 1):
        name = min(samples, key=lambda s: survival.mean(samples[s][half::2]))
        judged.append(survival.mean(samples[name][1 - half::2]))
    return survival.mean(judged), name


def regrets(rows, default, limit):
    """[(ratio, subject, schedules of the default, schedules of the best, its name)], the worst first."""
    result = []
    for row in rows:
        own, best = row["cells"].get(default), best_single(row["cells"], default, limit)
        if row["expect"] == "none" or not own or not own["trials"] or best is None:
            continue
        mean = survival.mean(times(own, limit))
        result.append((mean / best[0], row["subject"], mean, *best))
    return sorted(result, reverse=True)


def worst(found):
    """The worst of regrets(), without those that are few schedules; None if there is none."""
    return next((r for r in found if r[3] > FEW or r[2] - r[3] > FEW), None)


def significantly_worse(rows, default):
    """[(subject, scheduler)] where the default is worse by the log-rank test, Holm-corrected over all rows and schedulers."""
    tests = []
    for row in rows:
        own = row["cells"].get(default)
        if row["expect"] == "none" or not own:
            continue
        for name, other in row["cells"].items():
            if name != default and survival.sooner(other["sample"], own["sample"]):
                tests.append((survival.log_rank(own["sample"], other["sample"]), row["subject"], name))
            elif name != default:
                tests.append((1.0, row["subject"], name))
    result = []
    for i, (p, subject, name) in enumerate(sorted(tests)):
        if p > 0.05 / (len(tests) - i):
            break
        result.append((subject, name))
    return result
