"""A webhook endpoint on the loopback interface that records its messages."""

import http.server
import json
import threading


class Receiver:
    """Answers with `status`, and records each message in `messages` as (headers, body)."""

    def __init__(self):
        self.messages = []
        self.status = 204
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802, the name is given by http.server
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.messages.append((dict(self.headers), json.loads(body)))
                self.send_response(receiver.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/webhook"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
