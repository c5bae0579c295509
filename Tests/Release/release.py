"""Tests the artefacts of a release: Tests/Release/release.py FOLDER KEY

FOLDER is what `make release` made with a registry and with KEY, a file with a secret key. The images' root file systems
are started in namespaces of their own; apt reads the repository with a configuration of its own; helm renders the
chart, and the schemas of Kubernetes check the result.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

import chart

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
RELEASE = REPOSITORY / "Packaging/release/release.sh"
LIMIT = 150_000_000


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


def only(folder, pattern):
    found = list(folder.glob(pattern))
    check(len(found) == 1, f"There are {len(found)} files {pattern}, not one.")
    return found[0]


def check_refused(sentence, *arguments, **variables):
    """One clear sentence, and nothing made."""
    environment = dict(os.environ, **variables)
    done = subprocess.run([RELEASE, *arguments], capture_output=True, text=True, env=environment, check=False)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("A trial:")]
    check(done.returncode == 1, f"release.sh {arguments} ended with {done.returncode}: {done.stderr}")
    check(len(lines) == 1 and sentence in lines[0], f"release.sh {arguments} says:\n{done.stderr}")


def check_refusals(folder, scratch):
    for version in ("", "v0.3.0", "0.3", "0.3.0-", "01.2.3", "0.3.0;ls", "../0.3.0"):
        check_refused("VERSION has to be like 0.3.0", "check", version)
    check_refused("REGISTRY has to be like", "check", "9.9.9", REGISTRY="https://Registry.example.org")
    check_refused("change FencepostVersion.swift, or the tag.", "check", "9.9.9", STRICT="1")
    check_refused("There is no program at '/nowhere'", "make", "9.9.9", "/nowhere")
    check_refused("does not run on this machine", "make", "9.9.9", "/bin/false")
    taken = REPOSITORY / ".build/release-9.9.8"
    taken.mkdir(exist_ok=True)
    try:
        check_refused("release-9.9.8 exists already: remove it", "check", "9.9.8")
    finally:
        taken.rmdir()
    programs = scratch / "programs"
    programs.mkdir()
    for source in ("/usr/sbin", "/usr/bin"):
        for file in pathlib.Path(source).iterdir():
            link = programs / file.name
            if file.name not in ("umoci", "apt-ftparchive") and not link.is_symlink():
                link.symlink_to(file)
    missing = "Tools are missing: apt-get install umoci apt-utils"
    check_refused(missing, "make", "9.9.9", "/bin/true", PATH=str(programs))
    nobody = "nobody@fencepost.invalid"
    check_refused("SIGNING_KEY names no secret key", "make", "9.9.9", "/bin/true", SIGNING_KEY=nobody)
    print("A wrong version, an existing target, a missing tool or key give one sentence each.")


def check_sums(folder, public):
    run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=folder)
    named = {line.split("  ")[1] for line in (folder / "SHA256SUMS").read_text().splitlines()}
    files = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    check(files - named == {"SHA256SUMS", "SHA256SUMS.asc"}, f"SHA256SUMS lacks {files - named}.")
    run("gpgv", "--keyring", public, folder / "SHA256SUMS.asc", folder / "SHA256SUMS")
    print("SHA256SUMS names every file and is signed.")


def check_program(folder, scratch):
    archive = only(folder, "fencepost-*-linux-*.tar.xz")
    run("tar", "-C", scratch, "-xf", archive)
    place = scratch / archive.name.removesuffix(".tar.xz")
    check(re.match(r"\d+\.\d+\.\d+", run(place / "bin/fencepost", "--version")), "The program prints no version.")
    for file in ("LICENSE", "share/man/man1/fencepost.1.gz", "share/doc/fencepost/NOTICE.gz"):
        check((place / file).exists(), f"{archive.name} lacks {file}.")


def image(archive):
    """The configuration of an image, and the paths of its layers in the archive."""
    with tarfile.open(archive) as tar:
        manifest = json.load(tar.extractfile("manifest.json"))[0]
        config = json.load(tar.extractfile(manifest["Config"]))
        index = json.load(tar.extractfile("index.json"))
    check(len(index["manifests"]) == 1, "The archive has not one image.")
    return config, manifest["Layers"]


def check_image(archive, root):
    """The archive's form and size, and unpacks it to a root."""
    check(archive.stat().st_size < LIMIT, f"{archive.name} has {archive.stat().st_size} bytes.")
    config, layers = image(archive)
    settings = config["config"]
    check(settings["StopSignal"] == "SIGTERM", "There is no stop signal.")
    check(settings["Healthcheck"]["Test"] == ["CMD", "fencepost", "health"], "There is no health check.")
    for label in ("title", "version", "licenses", "created"):
        check(settings["Labels"][f"org.opencontainers.image.{label}"], f"The label {label} is missing.")
    if shutil.which("skopeo"):
        seen = json.loads(run("skopeo", "inspect", "--config", f"docker-archive:{archive}"))
        check(seen["config"].get("StopSignal") == "SIGTERM", "skopeo reads another archive as Docker's.")
        run("skopeo", "copy", "--quiet", f"oci-archive:{archive}", f"dir:{root.parent / (root.name + '.copy')}")
    else:
        print("How other programs read the image is not tested: apt-get install skopeo.", file=sys.stderr)
    root.mkdir()
    with tarfile.open(archive) as tar:
        for layer in layers:
            unpack = subprocess.Popen(["tar", "-C", root, "-xzpf", "-"], stdin=subprocess.PIPE)
            shutil.copyfileobj(tar.extractfile(layer), unpack.stdin)
            unpack.stdin.close()
            check(unpack.wait() == 0, "A layer cannot be unpacked.")
    return settings


def check_runs(kind, settings, root, scratch):
    """The image's command in namespaces of its own; started.py is the other half."""
    description = scratch / f"{kind}.json"
    description.write_text(json.dumps({"kind": kind, "settings": settings, "root": str(root)}))
    unshare = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    print(run(*unshare, sys.executable, "-B", REPOSITORY / "Tests/Release/started.py", description), end="")


def check_images(folder, scratch):
    for kind, name in (("service", "fencepost"), ("addon", "fencepost-addon")):
        archive = only(folder, f"{name}_*.oci.tar")
        root = scratch / kind
        settings = check_image(archive, root)
        user = settings.get("User", "")
        check(user == ("10001:10001" if kind == "service" else ""), f"The user is {user}.")
        check_runs(kind, settings, root, scratch)
        shutil.rmtree(root)
        bill = json.loads(only(folder, f"{name}_*.image.cdx.json").read_text())
        names = {component["name"] for component in bill["components"]}
        check({"libc6", "tini", "fencepost", "libgeos-c1v5"} <= names, f"The SBOM of {name} lacks packages.")


def apt(scratch, name, source, *command):
    """apt-get with a configuration, lists and a cache of its own."""
    state = scratch / name
    for part in ("lists/partial", "cache/archives/partial", "parts"):
        (state / part).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    (state / "test.sources").write_text(source)
    options = {
        "Dir::Etc::SourceList": state / "test.sources", "Dir::Etc::SourceParts": state / "parts",
        "Dir::State::Lists": state / "lists", "Dir::State::Status": state / "status", "Dir::Cache": state / "cache",
        "APT::Sandbox::User": "root", "Acquire::Languages": "none",
    }
    words = [word for option, value in options.items() for word in ("-o", f"{option}={value}")]
    return subprocess.run(["apt-get", *words, *command], capture_output=True, text=True, cwd=state, check=False)


def check_repository(folder, public, scratch):
    given = (folder / "apt/fencepost.sources").read_text()
    check("Signed-By: /etc/apt/keyrings/fencepost.gpg" in given, "The source does not name the key.")
    source = given.replace("https://packages.example.org/fencepost", f"file:{(folder / 'apt').resolve()}")
    trusted = source.replace("/etc/apt/keyrings/fencepost.gpg", str(public))
    done = apt(scratch, "trusting", trusted, "update")
    check(done.returncode == 0 and "W:" not in done.stderr, f"apt does not read the repository:\n{done.stderr}")
    done = apt(scratch, "trusting", trusted, "download", "fencepost")
    check(done.returncode == 0, f"apt does not fetch the package:\n{done.stderr}")
    fetched = only(scratch / "trusting", "fencepost_*.deb")
    check(fetched.read_bytes() == only(folder, "fencepost_*.deb").read_bytes(), "apt fetches another package.")
    other = source.replace("/etc/apt/keyrings/fencepost.gpg", "/usr/share/keyrings/debian-archive-keyring.gpg")
    done = apt(scratch, "distrusting", other, "update")
    check("NO_PUBKEY" in done.stderr, f"apt trusts a repository of another key:\n{done.stdout}{done.stderr}")
    print("apt reads the repository with its key, and not with another.")


def find_registry(scratch):
    """The registry of Debian, without installing it, because it would start a service."""
    found = shutil.which("docker-registry")
    if found:
        return found
    subprocess.run(["apt-get", "update", "-qq"], capture_output=True, check=False)
    subprocess.run(["apt-get", "download", "-qq", "docker-registry"], capture_output=True, cwd=scratch, check=False)
    packages = list(scratch.glob("docker-registry_*.deb"))
    if not packages:
        return None
    run("dpkg", "-x", packages[0], scratch / "docker-registry")
    return scratch / "docker-registry/usr/bin/docker-registry"


def check_publishing(folder, scratch):
    """The images and the chart go to a registry of this machine, and come back as they were."""
    registry = find_registry(scratch)
    if not registry or not shutil.which("buildah") or not shutil.which("skopeo"):
        print("Publishing is not tested: apt-get install docker-registry buildah skopeo.", file=sys.stderr)
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    settings = scratch / "registry.yml"
    storage = {"filesystem": {"rootdirectory": str(scratch / "registry")}}
    settings.write_text(json.dumps({"version": 0.1, "storage": storage, "http": {"addr": address}}))
    log = open(scratch / "registry.log", "w")
    server = subprocess.Popen([registry, "serve", settings], stdout=log, stderr=log)
    try:
        for _ in range(100):
            asked = subprocess.run(["curl", "-fs", f"http://{address}/v2/"], capture_output=True, check=False)
            if asked.returncode == 0:
                break
            time.sleep(0.1)
        version = only(folder, "fencepost-[0-9]*.tgz").name.removeprefix("fencepost-").removesuffix(".tgz")
        environment = dict(os.environ, REGISTRY=f"{address}/you", REGISTRY_OPTIONS="--tls-verify=false")
        helm = chart.find_helm(scratch)
        if helm:
            environment["PATH"] = f"{pathlib.Path(helm).parent}:{environment['PATH']}"
        said = run(REPOSITORY / "Packaging/release/publish.sh", version, folder, env=environment)
        check(f"/you/fencepost:{version}." in said, f"publish.sh says {said}.")
        check((":latest" in said) == ("-" not in version), f"publish.sh says {said}.")
        reference = f"docker://{address}/you/fencepost:{version}"
        pulled = run("skopeo", "inspect", "--raw", "--config", "--tls-verify=false", reference)
        check(json.loads(pulled) == image(only(folder, "fencepost_*.oci.tar"))[0], "The registry has another image.")
    finally:
        server.terminate()
        server.wait()
    print("A registry has the images and the chart as they were made.")


def check_addon(folder, scratch):
    run("tar", "-C", scratch, "-xf", only(folder, "fencepost-home-assistant-*.tar.gz"))
    place = scratch / "fencepost-home-assistant"
    config = (place / "fencepost/config.yaml").read_text()
    check('image: "registry.example.org/you/fencepost-addon-{arch}"' in config, "The add-on pulls no image.")
    check(not (place / "fencepost/Dockerfile").exists(), "The add-on would be built.")
    check((place / "repository.yaml").exists(), "The add-on has no repository.")


def check_clients(folder, scratch):
    """The clients have the version of the release, and what pip and npm install."""
    version = only(folder, "fencepost-[0-9]*.tgz").name.removeprefix("fencepost-").removesuffix(".tgz")
    wheel = only(folder, "fencepost_client-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [record] = [name for name in names if name.lower().endswith(".dist-info/metadata")]
        stated = re.search(r"^Version: (.*)$", archive.read(record).decode(), re.M)[1]
    check(stated.startswith(version.partition("-")[0]), f"{wheel.name} has the version {stated}.")
    wanted = {f"fencepost_client/{name}.py" for name in ("client", "stream", "webhooks")}
    check(wanted <= set(names), f"{wheel.name} lacks {wanted - set(names)}.")
    run("tar", "-C", scratch, "-xf", only(folder, "fencepost-client-*.tgz"))
    package = scratch / "package"
    stated = json.loads((package / "package.json").read_text())
    check((stated["name"], stated["version"]) == ("fencepost-client", version), f"The client is {stated['version']}.")
    if shutil.which("node"):
        code = "const { RegionsApi, stream, verify } = require(process.argv[1]); "
        code += "console.log([RegionsApi, stream, verify].every((one) => typeof one === 'function'))"
        check(run("node", "-e", code, package).strip() == "true", "The client in TypeScript cannot be loaded.")
    print("The clients in Python and TypeScript have the version of the release.")


def main():
    folder, key = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        # apt's user and the image's have to enter it.
        scratch.chmod(0o755)
        public = scratch / "public.gpg"
        home = scratch / "gnupg"
        home.mkdir(mode=0o700)
        run("gpg", "--homedir", home, "--batch", "--quiet", "--import", key)
        run("gpg", "--homedir", home, "--batch", "--output", public, "--export")
        check(public.read_bytes() == (folder / "apt/fencepost.gpg").read_bytes(), "The public key is another.")
        check_refusals(folder, scratch)
        check_sums(folder, public)
        check_program(folder, scratch)
        check_repository(folder, public, scratch)
        check_addon(folder, scratch)
        check_clients(folder, scratch)
        chart.check_chart(only(folder, "fencepost-[0-9]*.tgz"), scratch)
        check_publishing(folder, scratch)
        check_images(folder, scratch)


if __name__ == "__main__":
    try:
        main()
    except (Failure, chart.Failure) as failure:
        sys.exit(f"The release: {failure}")
