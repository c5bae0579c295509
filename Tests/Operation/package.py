"""Installs, starts, upgrades, removes and purges the Debian package: Tests/Operation/package.py PROGRAM

The program is packed twice, as two versions, and the packages go through apt in a debootstrap root of Debian 12. There,
a stand-in for systemctl runs the command line of the unit under its user; systemd itself checks the unit by
`systemd-analyze verify`, and sandbox.py tests the filter of system calls. lintian checks the package, a library from
PyPI its SBOM. FENCEPOST_ROOT_CACHE names the folder that keeps the root for the next run.
Exit codes: 0 works, 1 does not, 77 cannot be tested here.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("FENCEPOST_ROOT_CACHE", REPOSITORY / ".build/package-test"))
MIRROR = "http://deb.debian.org/debian"

# Runs what the unit says, as systemd would: preset, start, stop, restart. Everything else succeeds.
SYSTEMCTL = """#!/bin/sh
echo "$*" >>/var/log/systemctl.log
unit=/lib/systemd/system/fencepost.service
wants=/etc/systemd/system/multi-user.target.wants
value() { sed -n "s|^$1=||p" $unit; }
stop() {
  [ -f /run/fencepost.pid ] || return 0
  pid=$(cat /run/fencepost.pid)
  kill "$pid" 2>/dev/null
  # A process that ended and that nobody waited for has no command line.
  while grep -q . "/proc/$pid/cmdline" 2>/dev/null; do sleep 0.1; done
  rm /run/fencepost.pid
}
start() {
  cd "$(value WorkingDirectory)" || exit 1
  umask "$(value UMask)"
  setsid setpriv --reuid "$(value User)" --regid "$(value Group)" --init-groups $(value ExecStart) \\
    >>/var/log/fencepost.log 2>&1 </dev/null &
  echo $! >/run/fencepost.pid
}
for word; do
  case $word in
    start) [ -f /run/fencepost.pid ] || start ;;
    stop) stop ;;
    restart) stop; start ;;
    preset) mkdir -p $wants && ln -sf $unit $wants/ ;;
    is-enabled) [ -e $wants/fencepost.service ] && echo enabled; exit ;;
    is-active) [ -f /run/fencepost.pid ]; exit ;;
  esac
done
exit 0
"""


class Failure(Exception):
    """What does not work."""


def check(condition, message):
    if not condition:
        raise Failure(message)


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def skip(reason):
    print(f"The Debian package is not tested: {reason}", file=sys.stderr)
    sys.exit(77)


def pack(program, folder, version):
    environment = dict(os.environ, FENCEPOST_DEB_LEVEL="1")
    output = run(REPOSITORY / "Packaging/deb/build.sh", program, folder, version, env=environment)
    return pathlib.Path(output.strip().splitlines()[-1])


def in_root(root, *command):
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
    return run("chroot", root, *command, env=environment)


def dependencies(package):
    """The names of the packages that it depends on, the first of alternatives."""
    names = []
    for part in run("dpkg-deb", "-f", package, "Depends").strip().split(","):
        names.append(re.split(r"[ (|]", part.strip())[0])
    return sorted(names)


def make_root(package):
    """A root of Debian 12 with the dependencies, made once."""
    names = dependencies(package)
    archive = CACHE / f"root-{hashlib.sha256(' '.join(names).encode()).hexdigest()[:12]}.tar"
    if archive.exists():
        return archive
    if not shutil.which("debootstrap"):
        skip("debootstrap is not installed.")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        try:
            run("debootstrap", "--variant=minbase", "bookworm", root, MIRROR)
            in_root(root, "apt-get", "install", "-y", "-q", "--no-install-recommends", *names)
        except Failure as failure:
            skip(f"no root of Debian 12 can be made. {failure}")
        run("tar", "-C", root, "-cf", f"{archive}.part", ".")
    pathlib.Path(f"{archive}.part").rename(archive)
    return archive


def check_lint(package):
    if not shutil.which("lintian"):
        print("lintian is not installed: the package is not checked with it.", file=sys.stderr)
        return
    # What lintian says about root does not concern the package.
    command = ["lintian", "--fail-on", "error,warning", "--tag-display-limit", "0", package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"lintian:\n{done.stdout}")


def check_bill(path):
    """Validates the SBOM against the schema of CycloneDX, and compares it with what was resolved."""
    bill = json.loads(path.read_text())
    names = {component["name"].lower().removesuffix(".git") for component in bill["components"]}
    pins = json.loads((REPOSITORY / "Package.resolved").read_text())["pins"]
    missing = {pin["identity"] for pin in pins} - names
    check(not missing, f"The SBOM lacks {missing}.")
    check({"libgeos-c1v5", "libjs-leaflet", "swift-runtime"} <= names, "The SBOM lacks libraries.")
    declared = (REPOSITORY / "Packaging/deb/debian/copyright").read_text()
    unnamed = {pin["identity"] for pin in pins if f" {pin['identity']}/*" not in declared}
    check(not unnamed, f"debian/copyright lacks {unnamed}.")
    tools = REPOSITORY / ".build/sbom-tools"
    python = tools / "bin/python"
    try:
        if not python.exists():
            run(sys.executable, "-m", "venv", tools)
            library = "cyclonedx-python-lib[json-validation]~=11.0"
            run(tools / "bin/pip", "install", "-q", "--disable-pip-version-check", library)
    except Failure:
        shutil.rmtree(tools, ignore_errors=True)
        print("The SBOM is not validated: cyclonedx-python-lib cannot be installed from PyPI.", file=sys.stderr)
        return
    script = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
validator = JsonStrictValidator(SchemaVersion.V1_5)
if validator.validate_str('{"bomFormat": "CycloneDX"}') is None: sys.exit("The validator accepts everything.")
error = validator.validate_str(open(sys.argv[1]).read())
if error is not None: sys.exit(str(error))
"""
    run(python, "-c", script, path)


def healthy(root):
    """Waits until the service answers, at most half a minute."""
    for _ in range(300):
        command = ["chroot", str(root), "fencepost", "health", "--config", "/etc/fencepost/config.json"]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.1)
    logs = [file.read_text() for file in (root / "var/log").glob("*.log") if file.name[:4] in ("fenc", "syst")]
    raise Failure("The service is not ready:\n" + "\n".join(logs))


def runs(number):
    """Whether the process runs: one that ended and that nobody waited for has no command line."""
    file = pathlib.Path("/proc", str(number), "cmdline")
    return file.exists() and file.read_text() != ""


def pid(root):
    return int((root / "run/fencepost.pid").read_text())


def install(root, package):
    shutil.copy(package, root / "tmp")
    return in_root(root, "apt-get", "install", "-y", "-q", "--no-install-recommends", f"/tmp/{package.name}")


def call(port, token, path, body=None):
    data = json.dumps(body).encode() if body else None
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read() or b"null")


def check_installation(root, old):
    install(root, old)
    healthy(root)
    check(in_root(root, "fencepost", "--version").strip(), "The program does not print its version.")
    status = pathlib.Path("/proc", str(pid(root)), "status").read_text()
    user = in_root(root, "id", "-u", "fencepost").strip()
    check(f"Uid:\t{user}\t{user}" in status, "The service does not run as its user.")
    modes = in_root(root, "stat", "-c", "%U:%G %a", "/etc/fencepost/config.json", "/var/lib/fencepost").split("\n")
    check(modes[:2] == ["root:fencepost 640", "fencepost:fencepost 700"], f"Owners and modes are {modes}.")
    database = in_root(root, "stat", "-c", "%U %a", "/var/lib/fencepost/fencepost.sqlite").strip()
    check(database == "fencepost 600", f"The database has {database}.")
    conffiles = in_root(root, "dpkg-query", "-W", "-f", "${Conffiles}", "fencepost").split()
    check(conffiles[0::2] == ["/etc/fencepost/config.json"], f"The conffiles are {conffiles}.")
    listing = in_root(root, "dpkg", "-L", "fencepost").splitlines()
    for path in ("man/man1/fencepost.1.gz", "doc/fencepost/copyright", "bash-completion/completions/fencepost"):
        check(f"/usr/share/{path}" in listing, f"/usr/share/{path} is missing.")
    for line in (root / "lib/systemd/system/fencepost.service").read_text().splitlines():
        if line.startswith("ExecStart="):
            check((root / line.split("=")[1].split()[0].lstrip("/")).exists(), "The unit's program is missing.")


def check_unit(root):
    if not shutil.which("systemd-analyze"):
        print("systemd is not installed: the unit is not verified.", file=sys.stderr)
        return
    command = ["systemd-analyze", "verify", "--root", str(root), "fencepost.service"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # The root has neither systemd, and so none of the units that this one names, nor man.
    lines = [line for line in done.stderr.splitlines() if "fencepost.service" in line]
    lines = [line for line in lines if "not found" not in line and "'man fencepost(1)'" not in line]
    check(not lines, "systemd-analyze verify:\n" + "\n".join(lines))


def check_upgrade(root, new):
    config = root / "etc/fencepost/config.json"
    changed = config.read_text().replace("8080", "8081")
    config.write_text(changed)
    before = pid(root)
    token = re.search(r"fp_\w+", (root / "var/log/fencepost.log").read_text()).group()
    location = {"deviceId": "jane/phone", "latitude": 50, "longitude": 10, "timestamp": time.time()}
    call(8080, token, "/v1/locations", {"locations": [location]})
    install(root, new)
    healthy(root)
    check(pid(root) != before, "The upgrade did not restart the service.")
    check(not runs(before), "The old service still runs.")
    check(config.read_text() == changed, "The upgrade changed the configuration.")
    version = in_root(root, "dpkg-query", "-W", "-f", "${Version}", "fencepost")
    check(version == "0.0.2-1", f"The version is {version}.")
    devices = call(8081, token, "/v1/devices")["data"]
    check([device["id"] for device in devices] == ["jane/phone"], f"After the upgrade the devices are {devices}.")


def check_removal(root, package):
    state, own = root / "var/lib/fencepost", root / "var/lib/fencepost/backup-of-march.sqlite"
    own.write_text("of the administrator")
    running = pid(root)
    in_root(root, "apt-get", "remove", "-y", "-q", "fencepost")
    check(not runs(running), "The service runs without its package.")
    check((state / "fencepost.sqlite").exists(), "Removing deleted the database.")
    check((root / "etc/fencepost/config.json").exists(), "Removing deleted the configuration.")
    in_root(root, "apt-get", "purge", "-y", "-q", "fencepost")
    check([file.name for file in state.iterdir()] == [own.name], f"Purge left {list(state.iterdir())}.")
    check(not (root / "etc/fencepost").exists(), "Purge left the configuration.")
    own.unlink()
    install(root, package)
    healthy(root)
    in_root(root, "apt-get", "purge", "-y", "-q", "fencepost")
    check(not state.exists() and not (root / "etc/fencepost").exists(), "Purge left empty folders.")
    check(not (root / "usr/lib/fencepost").exists(), "Purge left the program.")
    left = [str(file) for file in (root / "etc/systemd").rglob("fencepost*")]
    check(not left, f"Purge left {left}.")


def inside(archive, old, new):
    """The test, in namespaces of its own: its mounts, processes and ports end with it."""
    run("ip", "link", "set", "lo", "up")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = pathlib.Path(folder, "root")
        root.mkdir()
        run("tar", "-C", root, "-xf", archive)
        run("mount", "-t", "proc", "proc", root / "proc")
        (root / "run/systemd/system").mkdir(parents=True)
        systemctl = root / "usr/bin/systemctl"
        systemctl.write_text(SYSTEMCTL)
        systemctl.chmod(0o755)
        try:
            check_installation(root, old)
            check_unit(root)
            check_upgrade(root, new)
            check_removal(root, new)
        finally:
            in_root(root, "systemctl", "stop", "fencepost.service")
            run("umount", root / "proc")


def outside(program):
    """Packs, makes the root, and enters it."""
    if os.geteuid() != 0:
        skip("only root can make and enter a root of Debian.")
    missing = [tool for tool in ("dh", "chrpath", "unshare", "ip") if not shutil.which(tool)]
    if missing:
        skip(f"{', '.join(missing)} not found; apt-get install debhelper chrpath iproute2.")
    unshare = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode != 0:
        skip("namespaces cannot be made here.")
    with tempfile.TemporaryDirectory() as folder:
        packages = pathlib.Path(folder)
        old, new = pack(program, packages, "0.0.1"), pack(program, packages, "0.0.2")
        check_lint(new)
        check_bill(packages / "fencepost.cdx.json")
        archive = make_root(new)
        command = [*unshare, sys.executable, __file__, "--inside", str(archive), str(old), str(new)]
        return subprocess.run(command, check=False).returncode


def main():
    try:
        if sys.argv[1] == "--inside":
            inside(*map(pathlib.Path, sys.argv[2:5]))
            print("The Debian package installs, starts, upgrades, is removed and purged.")
        else:
            sys.exit(outside(pathlib.Path(sys.argv[1]).resolve()))
    except Failure as failure:
        sys.exit(f"The Debian package: {failure}")


if __name__ == "__main__":
    main()
