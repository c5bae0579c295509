"""Message brokers as processes on free ports of the loopback: NATS, Redis, RabbitMQ, librdkafka's cluster for tests."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PATH = "/usr/lib/rabbitmq/bin:/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"
PASSWORD = "open sesame"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def wait(what, condition, seconds=60):
    """The first value of a condition that is true."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            sys.exit(f"{what} did not happen in {seconds} s")
        time.sleep(0.05)
    return found


def answers(port):
    try:
        return socket.create_connection(("127.0.0.1", port), 1).close() is None
    except OSError:
        return False


class Server:
    """A broker that can be killed and started again with its data."""

    name = ""
    # How to get it, where the program is missing.
    advice = ""

    def __init__(self, folder):
        self.folder = folder / self.name
        self.folder.mkdir()
        self.port = free_port()
        self.process = None

    @classmethod
    def program(cls):
        """The path of the program; None when it is not installed."""

    def command(self):
        """The command line and additional variables."""
        raise NotImplementedError

    def is_up(self):
        return answers(self.port)

    def start(self):
        arguments, variables = self.command()
        log = (self.folder / "log").open("a")
        self.process = subprocess.Popen(
            arguments, stdout=log, stderr=subprocess.STDOUT, cwd=self.folder, start_new_session=True,
            env={**os.environ, **variables})
        wait(f"the start of {self.name}", self.is_up, 120)

    def kill(self):
        """Ends it and its children without a warning."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None
        # Of RabbitMQ the process is a script, whose child ends a moment later.
        wait(f"the end of {self.name}", lambda: not answers(self.port))

    def pause(self, is_paused):
        os.killpg(self.process.pid, signal.SIGSTOP if is_paused else signal.SIGCONT)

    def stop(self):
        if self.process:
            self.kill()


class NATS(Server):
    name = "nats"
    advice = "make nats-server"
    extra = ""

    @classmethod
    def program(cls):
        named = [os.environ.get("FENCEPOST_NATS_SERVER"), REPOSITORY / ".build/nats/bin/nats-server"]
        return next((str(path) for path in named if path and os.access(path, os.X_OK)), None)

    def command(self):
        settings = self.folder / "nats.conf"
        settings.write_text(
            f'listen: "127.0.0.1:{self.port}"\njetstream {{ store_dir: "{self.folder}/data", sync_interval: always }}\n'
            f"{self.extra}\n")
        return [self.program(), "-c", str(settings)], {}


class Redis(Server):
    name = "redis"
    advice = "apt install redis-server"
    extra = ()

    @classmethod
    def program(cls):
        return shutil.which("redis-server", path=PATH)

    def command(self):
        return [self.program(), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder),
                "--save", "", "--appendonly", "yes", "--appendfsync", "always", *self.extra], {}


class RabbitMQ(Server):
    name = "amqp"
    advice = "apt install rabbitmq-server"
    extra = ""

    def __init__(self, folder):
        super().__init__(folder)
        self.distribution, self.mapper = free_port(), free_port()
        # Erlang would start the mapper of its ports as a daemon, which stays behind.
        self.daemon = subprocess.Popen(
            [shutil.which("epmd", path=PATH), "-port", str(self.mapper), "-address", "127.0.0.1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait("the start of epmd", lambda: answers(self.mapper))

    @classmethod
    def program(cls):
        return shutil.which("rabbitmq-server", path=PATH)

    def command(self):
        settings = self.folder / "rabbitmq.conf"
        settings.write_text(f"listeners.tcp.1 = 127.0.0.1:{self.port}\n{self.extra}\n")
        # With variables of its own the program leaves alone what is installed on the machine, its service among it.
        return [self.program()], {
            "HOME": str(self.folder), "RABBITMQ_NODENAME": f"fencepost{self.port}@localhost",
            "RABBITMQ_DIST_PORT": str(self.distribution), "ERL_EPMD_PORT": str(self.mapper),
            "RABBITMQ_CONFIG_FILE": str(settings), "RABBITMQ_MNESIA_BASE": str(self.folder / "data"),
            "RABBITMQ_LOG_BASE": str(self.folder / "logs"), "RABBITMQ_LOGS": "-",
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"), "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +S 1:1"}

    def start(self):
        super().start()
        wait("the readiness of RabbitMQ", self.is_ready, 120)

    def stop(self):
        super().stop()
        self.daemon.kill()
        self.daemon.wait()

    def is_ready(self):
        """Whether a client is greeted: the port is open before."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), 2) as probe:
                probe.sendall(b"AMQP\x00\x00\x09\x01")
                return bool(probe.recv(1))
        except OSError:
            return False


class Kafka(Server):
    """The cluster for tests that librdkafka has. It keeps nothing, so it can be paused and not killed."""

    name = "kafka"
    advice = "Tests/Brokers/requirements.txt"

    @classmethod
    def program(cls):
        try:
            import confluent_kafka  # noqa: F401
        except ImportError:
            return None
        return sys.executable

    def command(self):
        return [self.program(), "-u", str(pathlib.Path(__file__).parent / "kafka_cluster.py"),
                str(self.folder / "port")], {}

    def is_up(self):
        file = self.folder / "port"
        if not file.exists() or not file.read_text():
            return False
        self.port = int(file.read_text())
        return True


ALL = (NATS, Redis, RabbitMQ, Kafka)
