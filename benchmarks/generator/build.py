"""Writes generated programs to a folder, compiles them and lists them in a manifest."""
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from .generate import Generated

COMPILE = ["gcc", "-O1", "-g", "-pthread"]


def build(folder, numbers, fixed=False, jobs=2):
    """Returns the path of the manifest. Programs that are there already are compiled again only if their text has changed."""
    os.makedirs(folder, exist_ok=True)
    with ThreadPoolExecutor(jobs) as pool:
        entries = list(pool.map(lambda number: _build_one(folder, Generated(number, fixed)), numbers))
    path = os.path.join(folder, "manifest.json")
    with open(path, "w") as file:
        json.dump(entries, file, indent=1)
    return path


def _build_one(folder, generated):
    source, program, text = os.path.join(folder, generated.name + ".c"), os.path.join(folder, generated.name), generated.source()
    if not (os.path.exists(program) and os.path.exists(source) and _read(source) == text):
        with open(source, "w") as file:
            file.write(text)
        subprocess.run([*COMPILE, source, "-o", program], check=True)
    return {"name": generated.name, "expect": generated.expect, "command": [generated.name]}


def _read(path):
    with open(path) as file:
        return file.read()
