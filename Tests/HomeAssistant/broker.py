"""A mosquitto without a memory, and the few packets of MQTT 3.1.1 that publish and read what it keeps."""

import os
import shutil
import socket
import struct
import subprocess
import sys

from installation import until


class Broker:
    def __init__(self, port, folder):
        self.port, self.process = port, None
        self.file = folder / "mosquitto.conf"
        self.file.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")

    def start(self, log):
        program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
        if not program:
            sys.exit("mosquitto is not installed: apt-get install mosquitto")
        self.process = subprocess.Popen([program, "-c", self.file], stdout=log, stderr=subprocess.STDOUT)
        if not until(lambda: self.connect().close() is None, 10):
            sys.exit("The broker did not start.")

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(10)
            self.process = None

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), 5)
        # A clean session without a client id, for which the broker makes one.
        self.send(connection, 0x10, b"\x00\x04MQTT\x04\x02\x00\x3c\x00\x00")
        self.receive(connection)
        return connection

    @staticmethod
    def send(connection, kind, body):
        length, left = b"", len(body)
        while True:
            left, digit = divmod(left, 128)
            length += bytes([digit | (128 if left else 0)])
            if not left:
                break
        connection.sendall(bytes([kind]) + length + body)

    @staticmethod
    def receive(connection):
        def read(count):
            data = b""
            while len(data) < count:
                part = connection.recv(count - len(data))
                if not part:
                    raise OSError("the broker ended the connection")
                data += part
            return data

        kind, length, shift = read(1)[0], 0, 0
        while True:
            digit = read(1)[0]
            length |= (digit & 127) << shift
            shift += 7
            if digit < 128:
                return kind, read(length)

    def publish(self, topic, payload):
        with self.connect() as connection:
            name = topic.encode()
            self.send(connection, 0x31, struct.pack("!H", len(name)) + name + payload.encode())
            self.send(connection, 0xE0, b"")

    def retained(self):
        """Kept messages by topic. They come at once after the subscription, before the answer to a ping."""
        found = {}
        with self.connect() as connection:
            self.send(connection, 0x82, b"\x00\x01\x00\x01#\x00")
            self.send(connection, 0xC0, b"")
            while True:
                kind, body = self.receive(connection)
                if kind == 0xD0:
                    return found
                if kind & 0xF1 == 0x31:
                    size = struct.unpack("!H", body[:2])[0]
                    found[body[2:2 + size].decode()] = body[2 + size:].decode()
