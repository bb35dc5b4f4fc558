#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves the files of a folder as an object store that is far away: each answer begins late, and each
connection has a limited bandwidth.

usage: delaying_server.py <folder> <port> [<latency in ms> [<MB/s of a connection>]]
"""

import http.server
import pathlib
import re
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers GET with and without a range."""

    protocol_version = "HTTP/1.1"
    folder = pathlib.Path()
    latency = 0.030
    bandwidth = 60e6

    def do_GET(self):  # noqa: N802, as the base class names it
        begin = time.monotonic()
        try:
            value = (self.folder / self.path.lstrip("/")).read_bytes()
        except OSError:
            value = None
        part, status, headers = self.select(value)
        end = begin + self.latency + len(part) / self.bandwidth
        time.sleep(max(0, end - time.monotonic()))
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def select(self, value):
        """Returns the bytes to send, the status, and headers."""
        if value is None:
            return b"", 404, {}
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return value, 200, {}
        size = len(value)
        if asked[1]:
            first = int(asked[1])
            stop = min(int(asked[2]) + 1, size) if asked[2] else size
        else:
            first, stop = max(0, size - int(asked[2])), size
        if first >= stop:
            return b"", 416, {"Content-Range": f"bytes */{size}"}
        return value[first:stop], 206, {"Content-Range": f"bytes {first}-{stop - 1}/{size}"}

    def log_message(self, format, *args):  # noqa: A002
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


def main(folder, port, latency="30", bandwidth="60"):
    Handler.folder = pathlib.Path(folder)
    Handler.latency = float(latency) / 1e3
    Handler.bandwidth = float(bandwidth) * 1e6
    Server(("127.0.0.1", int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
