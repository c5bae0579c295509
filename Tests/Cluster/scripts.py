"""The frame of the scripts that start nodes and check what they do."""

import argparse
import os
import shutil
import tempfile

from cluster import conclude, diverged


def run(description, name, lab_class, test):
    """Runs `test` with a new lab, and returns the exit code. The logs and databases stay where a check has failed."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", required=True, help="the built fencepost")
    parser.add_argument("--nats", required=True, help="the nats-server")
    options = parser.parse_args()
    options.program, options.nats = os.path.abspath(options.program), os.path.abspath(options.nats)
    folder = tempfile.mkdtemp(prefix=f"fencepost-{name}-")
    lab = lab_class(options, folder)
    is_done = False
    try:
        test(lab)
        lab.findings += diverged(folder)
        is_done = not lab.findings
    finally:
        lab.end()
        if is_done:
            shutil.rmtree(folder, ignore_errors=True)
    return conclude(lab.findings, folder, "all of it holds")
