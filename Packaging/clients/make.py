"""Makes the clients of the API in Python and TypeScript: make.py PROGRAM FOLDER [python | typescript ...]

With VERSION in the environment they have that version, otherwise the one of the program.

The types and the calls are generated from the /openapi.json of the program; webhooks and the stream are written by
hand. Python gets a wheel, by openapi-python-client; TypeScript, by OpenAPI Generator, is compiled where tsc is there.
"""

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

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = pathlib.Path(sys.executable).parent


def run(*command, **options):
    """Runs a program; ends this one with what it said where it fails or warns.

    Parameters:
        command: the program and its arguments.
        options: of `subprocess.run`.
    Returns:
        What it wrote.
    """
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    said = done.stdout + done.stderr
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{said[-3000:]}")
    return said


def description(program):
    """The OpenAPI document of a program, which is started for it."""
    with tempfile.TemporaryDirectory() as folder:
        # It chooses the port.
        command = [str(pathlib.Path(program).resolve()), "serve", "--port", "0"]
        # Variables of a build are no settings of a service, which would refuse them.
        own = {name: value for name, value in os.environ.items() if not name.startswith("FENCEPOST_")}
        process = subprocess.Popen(
            command, cwd=folder, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            for line in process.stderr:
                if found := re.search(r"http://[^ \"]*?:([1-9][0-9]*)", line):
                    break
            else:
                sys.exit(f"{program} names no port")
            time.sleep(0.2)
            return urllib.request.urlopen(f"http://127.0.0.1:{found[1]}/openapi.json", timeout=20).read()
        finally:
            process.terminate()
            process.communicate(timeout=20)


def wheel_version(version):
    """A version in the form of Python: a label that is no pre-release there becomes one of a local version."""
    number, _, label = version.partition("-")
    if not label or re.fullmatch(r"(?:a|alpha|b|beta|c|pre|preview|rc)\.?[0-9]*", label):
        return version
    return f"{number}+{label.replace('-', '.')}"


def python(document, folder):
    """Writes the client in Python and its wheel."""
    place = folder / "python"
    shutil.rmtree(place, ignore_errors=True)
    # It runs ruff over what it writes.
    environment = dict(os.environ, PATH=f"{TOOLS}{os.pathsep}{os.environ['PATH']}")
    said = run(TOOLS / "openapi-python-client", "generate", "--path", document, "--config",
               HERE / "openapi-python-client.yaml", "--meta", "setup", "--output-path", place, env=environment)
    if "warning" in said.lower():
        sys.exit(f"openapi-python-client is not content:\n{said[:3000]}")
    for source in (HERE / "python").glob("*.py"):
        shutil.copy(source, place / "fencepost_client")
    setup = place / "setup.py"
    text = setup.read_text()
    own = '"standardwebhooks >= 1.0.0, < 2", "httpx-sse >= 0.4, < 1", '
    needed = text.replace("install_requires=[", "install_requires=[" + own)
    version = json.loads(document.read_text())["info"]["version"]
    stated = f'version="{version}"'
    if needed == text or stated not in needed:
        sys.exit("the generated setup.py has another form")
    needed = needed.replace(stated, f'version="{wheel_version(version)}"')
    setup.write_text(needed)
    run(TOOLS / "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", place / "dist", place)
    return next((place / "dist").glob("*.whl"))


def one_of(schema):
    """A union of named schemas in the form of which OpenAPI Generator makes a type for each of them."""
    union = schema.get("anyOf", [])
    if len(union) > 1 and all(set(one) == {"$ref"} for one in union):
        schema["oneOf"] = schema.pop("anyOf")
    return schema


def typescript(document, folder):
    """Writes the client in TypeScript, and compiles it where tsc is installed."""
    place = folder / "typescript"
    shutil.rmtree(place, ignore_errors=True)
    described = json.loads(document.read_text(), object_hook=one_of)
    version = described["info"]["version"]
    prepared = folder / "typescript.json"
    prepared.write_text(json.dumps(described))
    # What it calls runtime checks drops members of unions. Without them values stay as they are sent, times as texts.
    run(TOOLS / "openapi-generator-cli", "generate", "-i", prepared, "-g", "typescript-fetch", "-o", place,
        "--type-mappings=DateTime=string,Date=string",
        "--additional-properties=supportsES6=true,withoutRuntimeChecks=true,importFileExtension=.js,"
        f"npmName=fencepost-client,npmVersion={version}")
    prepared.unlink()
    names = sorted(path.stem for path in (HERE / "typescript").glob("*.ts"))
    for name in names:
        shutil.copy(HERE / "typescript" / f"{name}.ts", place / "src")
    with (place / "src" / "index.ts").open("a") as index:
        index.writelines(f"export * from './{name}.js';\n" for name in names)
    # Node and browsers have fetch, streams and crypto.
    change(place / "tsconfig.json", lambda own: own["compilerOptions"].update(target="es2020", lib=["es2022", "dom"]))
    change(place / "package.json", lambda own: finish(own, described["info"]))
    if shutil.which("tsc"):
        for project in ("tsconfig.json", "tsconfig.esm.json"):
            run("tsc", "--project", place / project)
    return place


def change(file, work):
    """Changes a file of JSON."""
    content = json.loads(file.read_text())
    work(content)
    file.write_text(json.dumps(content, indent=2) + "\n")


def finish(package, information):
    """What the generator does not know of the package; who installs it needs no compiler."""
    package.update(description="A client of Fencepost", license=information["license"]["name"], type="commonjs")
    for name in ("author", "repository"):
        package.pop(name, None)
    package["scripts"].pop("prepare", None)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    makers = {"python": python, "typescript": typescript}
    folder.mkdir(parents=True, exist_ok=True)
    document = folder / "openapi.json"
    document.write_bytes(description(program))
    if version := os.environ.get("VERSION"):
        change(document, lambda own: own["info"].update(version=version))
    for language in sys.argv[3:] or makers:
        print(f"{language}: {makers[language](document, folder)}", flush=True)


if __name__ == "__main__":
    main()
