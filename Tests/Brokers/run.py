"""Has message brokers take what the service publishes, and their own clients read it: Tests/Brokers/run.py PROGRAM

nats-server, redis-server, rabbitmq-server and librdkafka's cluster for tests are started as far as they are installed;
the others are named. nats-py, redis-py, pika and confluent-kafka read the messages, which have to be the events of
/v1/events and of the AsyncAPI document. Then each broker refuses messages for each reason that it has, and a short
series of kills follows. With --rounds the series is longer, and nothing else is tested.
"""

import argparse
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import faults
import jsonschema
import readers
import servers
import world

DEVICES = ("jane/phone", "odd .*>#%_é/1", "-")
LIBRARIES = {"redis": ("libhiredis", "libhiredis0.14"), "amqp": ("librabbitmq", "librabbitmq4"),
             "kafka": ("librdkafka", "librdkafka1")}


class Failure(Exception):
    """Something is not as it should be."""


def expect(condition, *what):
    if not condition:
        raise Failure(*what)


def address(kind, device, event):
    """The address of an event, by the words of the documentation."""
    word = urllib.parse.quote(device, safe="").replace(".", "%2E").replace("~", "%7E") if device != "-" else "%2D"
    return {"nats": f"fencepost.{word}.{event}", "amqp": f"fencepost.{word}.{event}", "redis": f"fencepost:{word}",
            "kafka": "fencepost"}[kind]


def check_document(document, kind, form, message):
    """A message is what the AsyncAPI document says."""
    described = document["channels"][kind]["messages"][form]
    whole = {"components": document["components"]}
    carried = {"type", "content-type", "delivery-mode", "app-id"} if kind == "amqp" else set()
    headers = {name: value for name, value in message.headers.items() if name not in carried}
    for schema, value in ((described["headers"], headers), (described["payload"], json.loads(message.body))):
        jsonschema.Draft202012Validator(
            {**whole, **schema}, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER).validate(value)


def check_headers(kind, form, message, event):
    """The header fields of binary mode, and what each message of a broker has."""
    prefix = {"nats": "ce-", "redis": "ce-", "amqp": "cloudEvents_", "kafka": "ce_"}[kind]
    subject = message.headers.get(prefix + "subject")
    if form == "binary":
        device = urllib.parse.unquote(subject) if kind == "nats" else subject
        expect(device == event["deviceId"] and message.headers[prefix + "id"] == event["id"], message)
    else:
        expect(subject is None, message)
    wanted = "application/cloudevents+json" if form == "structured" else "application/json"
    expect(message.headers["content-type"] == wanted, message)
    if kind == "amqp":
        expect(message.headers["delivery-mode"] == 2 and message.headers["app-id"] == "fencepost", message)


def check_forms(service, running):
    """Every event arrives in each form, at the address of its device, once and in order."""
    document = service.session.get(service.url + "/asyncapi.json", timeout=10).json()
    begin = int(time.time()) - 86_400
    read = {server.name: 0 for server in running}
    kept = {server.name: [] for server in running}
    for number, form in enumerate(("standard", "structured", "binary")):
        for server in running:
            service.ask("PATCH", f"/v1/endpoints/{server.name}", {"format": form})
        for device in DEVICES:
            start = begin + number * 20_000
            service.send(device, [(start + 60 * i, i // 5 % 2 == 1) for i in range(40)])
        events = {event["id"]: event for event in service.events()}
        for server in running:
            servers.wait(f"the end of the deliveries to {server.name}", lambda name=server.name:
                         not service.pending(name))
            kept[server.name] = (kept[server.name] if server.name == "amqp" else []) + readers.READ[server.name](server)
            doubled = world.compare(service, server, kept[server.name])
            expect(doubled == 0, server.name, doubled, "messages came twice")
            new = kept[server.name] if server.name in ("redis", "kafka") else kept[server.name][read[server.name]:]
            new = [message for message in new if events[message.id]["timestamp"] >= time.strftime(
                "%Y-%m-%dT%H:%M:%S", time.gmtime(begin + number * 20_000))]
            read[server.name] = len(kept[server.name])
            expect(len(new) >= 3 * len(DEVICES), server.name, form, len(new))
            for message in new:
                event = events[message.id]
                check_headers(server.name, form, message, event)
                check_document(document, server.name, form, message)
                wanted = address(server.name, event["deviceId"], event["type"])
                expect(message.address == wanted, message.address, wanted)
    for server in running:
        print(f"{server.name}: {len(kept[server.name])} messages in three forms are the events, in order and once.")


def refused(service, name, failure, text=None, **change):
    """A test fails for a reason, after a change of the endpoint."""
    if change:
        service.ask("PATCH", f"/v1/endpoints/{name}", change)
    attempt = service.test(name)
    expect(attempt.get("failure") == failure, name, change, attempt)
    expect(text is None or text in attempt.get("excerpt", ""), name, change, attempt)


def accepted(service, name, **change):
    if change:
        service.ask("PATCH", f"/v1/endpoints/{name}", change)
    attempt = service.test(name)
    expect("failure" not in attempt, name, change, attempt)


def refusals_of_nats(service, server):
    def limit(**settings):
        async def work(client):
            stream = client.jetstream()
            await stream.update_stream((await stream.stream_info("EVENTS")).config, **settings)
        readers.with_nats(server.port, work)

    refused(service, "nats", "unroutable", "no stream", subject="nowhere.{type}")
    accepted(service, "nats", jetStream=False)
    accepted(service, "nats", jetStream=True, **world.MEMBERS["nats"])
    limit(max_msg_size=10)
    refused(service, "nats", "size", "exceeds")
    limit(max_msg_size=-1, max_msgs=1, discard="new")
    refused(service, "nats", "full", "maximum messages")
    limit(max_msgs=-1, discard="old")
    accepted(service, "nats")


def refusals_of_redis(service, server):
    with readers.redis.Redis(port=server.port) as client:
        client.config_set("maxmemory", 1)
        refused(service, "redis", "full", "OOM")
        client.config_set("maxmemory", 0)
        client.set("fencepost-text", "x")
        refused(service, "redis", "refused", "WRONGTYPE", stream="fencepost-text")
        client.delete("fencepost-text")
        client.config_set("requirepass", servers.PASSWORD)
        refused(service, "redis", "login", "unauthenticated", **world.MEMBERS["redis"])
        refused(service, "redis", "login", "WRONGPASS", password="wrong")
        accepted(service, "redis", password=servers.PASSWORD)
        client.config_set("requirepass", "")
        accepted(service, "redis", password=None, url=world.url_of(server) + "/3", maximumLength=10)
    with readers.redis.Redis(port=server.port, db=3) as client:
        for _ in range(300):
            service.test("redis")
        length = client.xlen("fencepost:-")
        expect(10 <= length < 200, "MAXLEN", length)
    accepted(service, "redis", url=world.url_of(server), maximumLength=None)


def refusals_of_amqp(service, server):
    def declare(channel):
        channel.queue_declare("small", durable=True, arguments={"x-max-length": 1, "x-overflow": "reject-publish"})

    readers.with_amqp(server, declare)
    refused(service, "amqp", "unroutable", "no queue", routingKey="nowhere")
    refused(service, "amqp", "unroutable", "no exchange 'none'", exchange="none")
    accepted(service, "amqp", exchange=None, routingKey="small")
    refused(service, "amqp", "full", "a queue refuses")
    refused(service, "amqp", "login", "ACCESS_REFUSED", username="guest", password="wrong")
    refused(service, "amqp", "login", "vhost", username=None, password=None, url=world.url_of(server) + "/none")
    accepted(service, "amqp", url=world.url_of(server) + "/%2F", **world.MEMBERS["amqp"])
    accepted(service, "amqp", url=world.url_of(server))
    readers.read_amqp(server)


class Relay(threading.Thread):
    """Connections to another address of the loopback, passed on to a port."""

    def __init__(self, host, port):
        super().__init__(daemon=True)
        self.listener = socket.create_server((host, 0))
        self.port, self.target = self.listener.getsockname()[1], port

    def run(self):
        while True:
            inside, _ = self.listener.accept()
            outside = socket.create_connection(("127.0.0.1", self.target))
            for one, other in ((inside, outside), (outside, inside)):
                threading.Thread(target=self.copy, args=(one, other), daemon=True).start()

    @staticmethod
    def copy(one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                other.sendall(data)


def check_addresses(program, folder, running):
    """A broker of a Kafka cluster whose address is not allowed gets no connection, also where another one names it."""
    [kafka] = [server for server in running if server.name == "kafka"] or [None]
    service = world.Service(program, folder, allowedNetworks=["127.0.0.2/32"])
    service.start()
    for server in running:
        body = {"id": server.name, "kind": server.name, "url": world.url_of(server), **world.MEMBERS[server.name]}
        service.ask("POST", "/v1/endpoints", body, status=422)
    if kafka:
        relay = Relay("127.0.0.2", kafka.port)
        relay.start()
        service.ask("POST", "/v1/endpoints", {
            "id": "kafka", "kind": "kafka", "url": f"kafka://127.0.0.2:{relay.port}/fencepost"})
        refused(service, "kafka", "blocked", "not allowed")
    service.stop()
    print("Addresses: none of the brokers gets a message where its network is not allowed.")


def certificates(folder, name):
    """A certificate for a name or an address by an authority of its own."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    names = folder / "names"
    names.write_text(f"subjectAltName={name}\n")
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test",
            "-days", "2")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj",
            "/CN=broker")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
            "server.pem", "-days", "2", "-extfile", "names")
    for file in folder.iterdir():
        file.chmod(0o644)
    return folder


def check_tls(program, folder, certified, host, other_host):
    """Connections with TLS are made to the name in a certificate of a trusted authority, and to no other."""
    if shutil.which("openssl") is None:
        print("Skipped: TLS, since openssl is not installed.", file=sys.stderr)
        return
    keys = folder / "keys"
    keys.mkdir()
    certificates(keys, certified)
    folder.chmod(0o755)

    class SecureNATS(servers.NATS):
        extra = f'tls {{ cert_file: "{keys}/server.pem", key_file: "{keys}/server.key" }}\n' \
            f'authorization {{ user: fence, password: "{servers.PASSWORD}" }}'

    class SecureRedis(servers.Redis):
        extra = ("--tls-cert-file", f"{keys}/server.pem", "--tls-key-file", f"{keys}/server.key",
                 "--tls-ca-cert-file", f"{keys}/ca.pem", "--tls-auth-clients", "no", "--tls-port", "{port}",
                 "--port", "0")

        def command(self):
            arguments, variables = super().command()
            return [part.replace("{port}", str(self.port)) for part in arguments], variables

    class SecureRabbitMQ(servers.RabbitMQ):
        def command(self):
            self.plain = servers.free_port()
            self.extra = (
                f"listeners.ssl.1 = {self.port}\nssl_options.certfile = {keys}/server.pem\n"
                f"ssl_options.keyfile = {keys}/server.key\nssl_options.cacertfile = {keys}/ca.pem")
            arguments, variables = super().command()
            settings = self.folder / "rabbitmq.conf"
            settings.write_text(settings.read_text().replace(f"127.0.0.1:{self.port}", f"127.0.0.1:{self.plain}", 1))
            return arguments, variables

        def is_ready(self):
            return servers.answers(self.port)

    running = []
    trusting, other = (world.Service(program, make(folder / name), **more) for name, more in (
        ("trusting", {"caFile": f"{keys}/ca.pem", "allowHTTP": False}), ("other", {})))
    schemes = {"nats": "tls", "redis": "rediss", "amqp": "amqps"}
    try:
        for kind in (SecureNATS, SecureRedis, SecureRabbitMQ):
            if kind.program():
                running.append(kind(folder))
                running[-1].start()
        for service in (trusting, other):
            service.start()
        for server in running:
            more = {"username": "fence", "password": servers.PASSWORD} if server.name == "nats" else {}
            # No stream, exchange or user is needed to see whether the connection is encrypted.
            own = {"nats": {"jetStream": False}, "amqp": {"exchange": None, "routingKey": "none"}}
            more.update(own.get(server.name, {}))
            body = {"id": server.name, "kind": server.name, "url": f"{schemes[server.name]}://{host}:{server.port}",
                    **world.MEMBERS[server.name], **more}
            for service in (trusting, other):
                service.ask("POST", "/v1/endpoints", body)
            refused(other, server.name, "tls")
            if server.name == "amqp":
                refused(trusting, "amqp", "unroutable")
            else:
                accepted(trusting, server.name)
            refused(trusting, server.name, "tls", url=body["url"].replace(host, other_host), **{
                name: value for name, value in more.items() if name == "password"})
        shown = json.dumps(trusting.ask("GET", "/v1/endpoints"))
        expect(servers.PASSWORD not in shown and '"fence"' in shown, shown)
        for service in (trusting, other):
            service.stop()
            expect(servers.PASSWORD not in (service.folder / "log").read_text(), "the log has the password")
        print(f"TLS: {', '.join(server.name for server in running)}: by a trusted authority and for {certified} only.")
    finally:
        for server in running:
            server.stop()
        for service in (trusting, other):
            service.process and service.process.kill()


def make(folder):
    folder.mkdir()
    return folder


def libraries(service):
    """The libraries of brokers that the process has loaded."""
    loaded = pathlib.Path(f"/proc/{service.process.pid}/maps").read_text()
    return {kind for kind, (name, _) in LIBRARIES.items() if f"/{name}.so" in loaded}


def check_missing_libraries(program, folder):
    """Without a library the attempt says which package has it. The files are hidden from this service only."""
    service = world.Service(program, folder)
    hidden = folder / "hide"
    hidden.write_text("""#!/bin/sh
set -e
for file in /usr/lib/*/libhiredis.so.0.14 /usr/lib/*/librabbitmq.so.4 /usr/lib/*/librdkafka.so.1; do
  [ -e "$file" ] && mount --bind /dev/null "$file"
done
exec "$@"
""")
    hidden.chmod(0o755)
    mounts = ["unshare", "--mount"] if subprocess.run(
        ["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0 else []
    if not mounts:
        print("Skipped: missing libraries, since they cannot be hidden here.", file=sys.stderr)
        return
    wrapper = folder / "program"
    wrapper.write_text(f'#!/bin/sh\nexec {" ".join(mounts)} {hidden} "{program}" "$@"\n')
    wrapper.chmod(0o755)
    service.program = str(wrapper)
    service.start()
    for kind, (_, package) in LIBRARIES.items():
        url = f"{kind}://127.0.0.1:1" + ("/t" if kind == "kafka" else "")
        service.ask("POST", "/v1/endpoints", {"id": kind, "kind": kind, "url": url, **world.MEMBERS[kind]})
        refused(service, kind, "library", f"apt install {package}")
    service.stop()
    print("Libraries: without them the attempts name their packages.")


def check_lost_connections(service, running):
    """A broker that was away is used again, and what waited is sent at once."""
    for server in running:
        if server.name == "kafka":
            continue
        before = len(service.all(f"/v1/deliveries?endpointId={server.name}&limit=200"))
        server.kill()
        refused(service, server.name, "connect")
        start = int(time.time()) - 3600
        service.send(f"waits/{server.name}", [(start + 60 * i, i // 5 % 2 == 1) for i in range(20)])
        servers.wait("an attempt that fails", lambda name=server.name: any(
            delivery["attempts"] for delivery in service.pending(name)))
        # Two attempts fail, so that the third is 5 min later.
        servers.wait("a second attempt that fails", lambda name=server.name: any(
            len(delivery["attempts"]) > 1 for delivery in service.pending(name)))
        server.start()
        accepted(service, server.name)
        # The message of another device is sent, and with its success what waits.
        begin = time.monotonic()
        service.send(f"comes/{server.name}", [(start + 60 * i, i // 5 % 2 == 1) for i in range(20)])
        servers.wait(f"the end of the deliveries to {server.name}", lambda name=server.name: not service.pending(name))
        after = len(service.all(f"/v1/deliveries?endpointId={server.name}&limit=200"))
        expect(after > before, "no message waited")
        expect(time.monotonic() - begin < 30, "what waited was sent", time.monotonic() - begin, "seconds later")


def check_all(program, folder, running):
    service = world.Service(program, make(folder / "service"))
    service.start()
    try:
        service.ask("PUT", "/v1/regions/home", {**world.HOME})
        expect(libraries(service) == set(), "libraries of brokers are loaded without an endpoint:", libraries(service))
        for server in running:
            service.add(server)
        check_forms(service, running)
        expect(libraries(service) == {server.name for server in running} & set(LIBRARIES), libraries(service))
        for server in running:
            check = {"nats": refusals_of_nats, "redis": refusals_of_redis, "amqp": refusals_of_amqp}.get(server.name)
            if check:
                check(service, server)
                print(f"{server.name}: each refusal has its reason.")
        check_lost_connections(service, running)
        seconds = service.stop()
        expect(seconds < 10, "the service took", seconds, "s to stop")
    finally:
        service.process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built program")
    parser.add_argument("--rounds", type=int, help="only kills, so many")
    parser.add_argument("--seed", type=int, default=1, help="of the kills")
    parser.add_argument("--only", help="the brokers, with commas")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    wanted = [kind for kind in servers.ALL if not options.only or kind.name in options.only.split(",")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        running = world.installed(make(folder / "servers"), wanted)
        try:
            if options.rounds is None:
                check_all(program, folder, running)
                check_addresses(program, make(folder / "addresses"), running)
                check_tls(program, make(folder / "tls"), "DNS:localhost", "localhost", "127.0.0.1")
                check_tls(program, make(folder / "address"), "IP:127.0.0.1", "127.0.0.1", "localhost")
                check_missing_libraries(program, make(folder / "libraries"))
            faults.run(program, make(folder / "faults"), running, options.rounds or 6, options.seed)
        except Failure as failure:
            sys.exit(f"Tests/Brokers: {' '.join(map(str, failure.args))}")
        finally:
            for server in running:
                server.stop()


if __name__ == "__main__":
    main()
