"""The disks of the soak's nodes and NATS servers: small ones that can be full, slow ones, and logs without room."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import threading
import time

# The size of each disk, which a full one takes of the machine's memory: more than a soak writes, twice, since a node
# that gives a copy has two. A location takes less than 100 bytes, and a round some 15 s.
LEAST_SIZE = 384 << 20
SIZE_OF_ROUND = 2500  # bytes for a location a second
NEW_MOUNT_NAMESPACE = 0x20000
# A slow process works for one part of the time and stops for three.
SLOW_PAUSE, SLOW_WORK = 0.06, 0.02


class Disks:
    """A file system in memory for the folder of each process, where mounting is permitted. Nobody else sees them, since
    they are in a mount namespace of the soak's own, which has to be made before any thread."""

    def __init__(self, folder, names, rounds, rate):
        self.folder = folder
        self.size = max(LEAST_SIZE, rounds * rate * SIZE_OF_ROUND)
        self.mounted = []
        self.full = set()
        # Why there are none; None where there are.
        self.problem = self.mount(names)
        # Space that a process frees on a full disk, as a database does that closes, is taken again.
        threading.Thread(target=self.keep_full, daemon=True).start()

    def mount(self, names):
        if os.geteuid() != 0:
            return "only root may mount"
        if ctypes.CDLL(None, use_errno=True).unshare(NEW_MOUNT_NAMESPACE) != 0:
            return f"no mount namespace: {os.strerror(ctypes.get_errno())}"
        for name in names:
            os.makedirs(f"{self.folder}/{name}", exist_ok=True)
        commands = {"/": ["--make-rprivate"]} | {
            f"{self.folder}/{name}": ["-t", "tmpfs", "-o", f"size={self.size}", "tmpfs"] for name in names}
        for path, words in commands.items():
            done = subprocess.run(["mount", *words, path], capture_output=True, text=True, check=False)
            if done.returncode:
                self.end()
                return done.stderr.strip()
            self.mounted.append(path)
        return None

    def end(self, keeps=False):
        """Removes the disks; what they have is kept in the folders below them on request, as a failure needs it."""
        self.full.clear()
        for path in self.mounted[1:]:
            kept = path + ".kept"
            if keeps:
                shutil.copytree(path, kept, ignore=shutil.ignore_patterns("filler", "*.sock"))
            subprocess.run(["umount", path], capture_output=True, check=False)
            if keeps:
                os.rmdir(path)
                os.rename(kept, path)

    def filler(self, name):
        return f"{self.folder}/{name}/filler"

    def fill(self, name):
        self.full.add(name)
        self.write(name)

    def write(self, name):
        """Takes all space that is left."""
        zeros = bytes(1 << 16)
        try:
            with open(self.filler(name), "ab", buffering=0) as file:
                while name in self.full and file.write(zeros) == len(zeros):
                    pass
        except OSError:
            pass

    def keep_full(self):
        while True:
            for name in list(self.full):
                self.write(name)
            time.sleep(0.05)

    def free(self):
        """Lets all disks have room again."""
        names = list(self.full)
        self.full.clear()
        # The thread that fills them has ended what it was doing.
        time.sleep(0.2)
        for name in names:
            os.remove(self.filler(name))


class Slow(threading.Thread):
    """A process whose disk is slow, as seen from outside: it stops for most of the time, milliseconds at once."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process = process
        self.ended = threading.Event()
        self.start()

    def run(self):
        while not self.ended.is_set():
            self.process.send(signal.SIGSTOP)
            time.sleep(SLOW_PAUSE)
            self.process.send(signal.SIGCONT)
            time.sleep(SLOW_WORK)

    def end(self):
        self.ended.set()
        self.join()


class Notices:
    """What processes write to their logs from now on."""

    def __init__(self, folder, names, words):
        self.words = [word.encode() for word in words]
        self.logs = {f"{folder}/{name}.log": 0 for name in names}
        for path in self.logs:
            self.logs[path] = os.path.getsize(path)

    def have_come(self):
        """Whether each has one of the words."""
        return all(self.has_come(path, start) for path, start in self.logs.items())

    def has_come(self, path, start):
        with open(path, "rb") as file:
            file.seek(start)
            text = file.read()
        return any(word in text for word in self.words)


def set_limits(ask, names, limit):
    """Sets the largest sizes of streams in bytes. `ask` sends a request to NATS; `limit` makes a size from the name of
    a stream and the bytes that it has. Returns the former limits by name."""
    former = {}
    for name in names:
        info = json.loads(ask(f"$JS.API.STREAM.INFO.{name}", ""))
        former[name] = info["config"]["max_bytes"]
        config = info["config"] | {"max_bytes": limit(name, info["state"]["bytes"])}
        answer = json.loads(ask(f"$JS.API.STREAM.UPDATE.{name}", json.dumps(config)))
        if "error" in answer:
            raise SystemExit(f"the limit of {name} cannot be changed: {answer['error']}")
    return former
