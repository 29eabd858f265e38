"""Subjects: which program, with which arguments, what it should be found to do, and what others have published about it."""
import fnmatch
import json
import os
from dataclasses import dataclass, field

from .common import ROOT, UserError

DEFAULT = os.path.join(ROOT, "benchmarks", "subjects", "manifest.json")
KINDS = ("assert", "crash", "deadlock", "hang", "exit", "none")


@dataclass
class Subject:
    name: str
    command: list
    expect: str
    published: str = ""
    figures: dict = field(default_factory=dict)


def load(path, programs, only=None):
    """Reads a manifest: a list of objects with `name`, `expect`, and either `command` (a list) or `program` (below `programs`) and `args`."""
    try:
        with open(path) as file:
            entries = json.load(file)
    except OSError as error:
        raise UserError(f"cannot read the manifest {path}: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise UserError(f"the manifest {path} is not JSON: {error}") from None
    subjects = [subject(entry, path, programs) for entry in entries]
    if only:
        patterns = only.split(",")
        subjects = [s for s in subjects if any(fnmatch.fnmatch(s.name, p) for p in patterns)]
    if not subjects:
        raise UserError(f"no subject of {path} matches '{only}'")
    for s in subjects:
        if not os.access(s.command[0], os.X_OK):
            raise UserError(f"the program of '{s.name}' is missing: {s.command[0]}; run scripts/build first")
    return subjects


def subject(entry, path, programs):
    for key in ("name", "expect"):
        if key not in entry:
            raise UserError(f"an entry of {path} has no '{key}'")
    if entry["expect"] not in KINDS:
        raise UserError(f"'{entry['name']}' expects '{entry['expect']}'; possible are: {', '.join(KINDS)}")
    if "command" in entry:
        command = list(entry["command"])
        command[0] = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(path)), command[0]))
    else:
        command = [os.path.join(programs, entry["program"]), *entry.get("args", [])]
    return Subject(entry["name"], command, entry["expect"], entry.get("published", ""), entry.get("figures", {}))
