"""A real SMTP server with STARTTLS, whose certificate is its own."""

import email
import email.policy
import socket
import ssl
import subprocess

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


class Mailbox:
    """Accepts messages of one user, over TLS only."""

    def __init__(self, folder):
        self.messages = []
        self.logins = []
        self.answer = "250 OK"
        key, certificate = folder / "mail.key", folder / "mail.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-days", "2",
             "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, key)
        self.certificate = certificate
        # The controller connects to its port at the start, so it has to know a free one.
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.controller = Controller(
            self, hostname="127.0.0.1", port=self.port, tls_context=context, require_starttls=True,
            authenticator=self.authenticate, auth_required=True)
        self.controller.start()

    def authenticate(self, server, session, envelope, mechanism, data):
        self.logins.append((data.login.decode(), data.password.decode()))
        return AuthResult(success=data.password == b"s3cret-mail")

    async def handle_DATA(self, server, session, envelope):  # noqa: N802, the name is given by aiosmtpd
        if self.answer.startswith("250"):
            self.messages.append((envelope, email.message_from_bytes(envelope.content, policy=email.policy.default)))
        return self.answer

    def close(self):
        self.controller.stop()
