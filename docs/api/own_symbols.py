"""Copies a module's symbol graphs without what it re-exports: own_symbols.py MODULE FROM-FOLDER TO-FOLDER

FencepostCoreLocation re-exports Foundation on Linux, as Core Location does on Apple's platforms; the reference would
list all of Foundation as its own.
"""

import glob
import json
import os
import sys


def main():
    module, source, target = sys.argv[1:]
    mangled = f"{len(module)}{module}"
    for path in glob.glob(os.path.join(source, f"{module}.symbols.json")) + glob.glob(
        os.path.join(source, f"{module}@*.symbols.json")
    ):
        with open(path, encoding="utf-8") as file:
            graph = json.load(file)
        # An extension of another module's type has that type's identifier, so these graphs stay whole.
        if "@" not in os.path.basename(path):
            own = {s["identifier"]["precise"] for s in graph["symbols"] if mangled in s["identifier"]["precise"]}
            graph["symbols"] = [s for s in graph["symbols"] if s["identifier"]["precise"] in own]
            graph["relationships"] = [r for r in graph["relationships"] if r["source"] in own]
        with open(os.path.join(target, os.path.basename(path)), "w", encoding="utf-8") as file:
            json.dump(graph, file)


if __name__ == "__main__":
    main()
