# SPDX-License-Identifier: Apache-2.0
"""A stand-in for AWS Lambda on this host: invocations of a function, and the runtime interface of sandboxes.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html, https://docs.aws.amazon.com/lambda/latest/api
"""
import concurrent.futures
import contextlib
import http.server
import os
import queue
import subprocess
import threading
import uuid


class Lambda(http.server.ThreadingHTTPServer):
    """Events wait for a sandbox, and invocations wait for their outcome."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Requests)
        self.events = queue.Queue()
        self.outcomes = {}
        self.num_invocations = 0


class Requests(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body=b"{}", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        """The next event, for a sandbox."""
        assert self.path == "/2018-06-01/runtime/invocation/next", self.path
        request, event = self.server.events.get()
        self.answer(200, event, [("Lambda-Runtime-Aws-Request-Id", request)])

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        *_, request, end = self.path.split("/")
        if end == "invocations":
            return self.invoke(body)
        assert end in ("response", "error"), self.path
        self.server.outcomes.pop(request).set_result((end, body))
        return self.answer(202)

    def invoke(self, event):
        self.server.num_invocations += 1
        request = str(uuid.uuid4())
        outcome = self.server.outcomes[request] = concurrent.futures.Future()
        self.server.events.put((request, event))
        end, body = outcome.result()
        self.answer(200, body, [("X-Amz-Function-Error", "Unhandled")] if end == "error" else [])


@contextlib.contextmanager
def sandboxes(program, bootstrap, count):
    """Runs a stand-in with sandboxes for a program, and yields it and variables for its clients."""
    server = Lambda()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"127.0.0.1:{server.server_port}"
    environment = {"PATH": os.environ["PATH"], "AWS_LAMBDA_RUNTIME_API": address,
                   "LAMBDA_TASK_ROOT": os.path.dirname(program), "_HANDLER": os.path.basename(program)}
    started = [subprocess.Popen(["sh", bootstrap], env=environment, start_new_session=True)
               for _ in range(count)]
    try:
        yield server, {"AWS_ENDPOINT_URL_LAMBDA": f"http://{address}", "AWS_ACCESS_KEY_ID": "any",
                       "AWS_SECRET_ACCESS_KEY": "any", "AWS_DEFAULT_REGION": "us-east-1",
                       "LAMBDA_FUNCTION": "element"}
    finally:
        for sandbox in started:
            os.killpg(sandbox.pid, 9)
            sandbox.wait()
        server.shutdown()
