#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves the files of a folder as an object store that is far away: each answer begins late, and each
connection has a limited bandwidth. Bodies are received and sent in pieces, each at the time when the
connection has carried it.

usage: delaying_server.py <folder> <port> [<latency in ms> [<MB/s of a connection> [<PEM file> [<log>]]]]

A server at port 0 chooses a free port. It prints its port. With a file of a certificate and its key
it speaks TLS. With a log it writes a line for each request: the seconds at which its head has arrived
and its answer begins, its method and its target. It has the requests of S3 that a run makes (GET, HEAD, PUT with conditions, DELETE, lists,
and erasures of several keys), without regard to signatures: "s3+http://127.0.0.1:<port>/<bucket>".
"""

import email.utils
import http.server
import os
import pathlib
import re
import ssl
import sys
import threading
import time
import urllib.parse
import xml.etree.ElementTree
import xml.sax.saxutils


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    disable_nagle_algorithm = True
    folder = pathlib.Path()
    latency = 0.030
    bandwidth = 60e6
    piece = 1 << 17
    writing = threading.Lock()
    log = None

    def parse_request(self):
        is_parsed = super().parse_request()
        self.arrival = time.monotonic()
        return is_parsed

    def log_request(self, code="-", size="-"):
        if self.log:
            self.log.write(f"{self.arrival:.6f} {time.monotonic():.6f} {self.command} {self.path}\n")

    def do_GET(self):  # noqa: N802, as the base class names it
        begin = time.monotonic()
        url = urllib.parse.urlsplit(self.path)
        if "list-type" in url.query:
            return self.answer(begin, 200, self.list(url), {})
        try:
            with self.file(url).open("rb") as file:
                status, first, count, headers = self.select(os.fstat(file.fileno()))
                part = os.pread(file.fileno(), count, first)
        except OSError:
            status, part, headers = 404, b"", {}
        self.answer(begin, status, part, headers)

    def do_HEAD(self):  # noqa: N802
        begin = time.monotonic()
        try:
            found = self.file(urllib.parse.urlsplit(self.path)).stat()
        except OSError:
            return self.answer(begin, 404, b"", {})
        self.answer(begin, 200, b"", headers_of(found), found.st_size)

    def do_PUT(self):  # noqa: N802
        begin = time.monotonic()
        size = int(self.headers.get("Content-Length", 0))
        file = self.file(urllib.parse.urlsplit(self.path))
        file.parent.mkdir(parents=True, exist_ok=True)
        new = self.folder / f"new.{threading.get_ident()}"
        with new.open("wb", buffering=0) as values:
            for first, stop in self.pieces(begin, size):
                values.write(self.rfile.read(stop - first))
            is_whole = values.tell() == size
        if not is_whole:
            new.unlink()
            self.close_connection = True
            return
        with self.writing:
            now = etag(file.stat()) if file.exists() else None
            none_match = self.headers.get("If-None-Match")
            match = self.headers.get("If-Match")
            is_refused = (none_match == "*" and now is not None) or (match is not None and match != now)
            if not is_refused:
                new.replace(file)
                now = etag(file.stat())
        if is_refused:
            new.unlink()
            return self.answer(begin, 412, b"<Error><Code>PreconditionFailed</Code></Error>", {})
        self.answer(begin + size / self.bandwidth, 200, b"", {"ETag": now})

    def do_DELETE(self):  # noqa: N802
        begin = time.monotonic()
        self.file(urllib.parse.urlsplit(self.path)).unlink(missing_ok=True)
        self.answer(begin, 204, b"", {})

    def do_POST(self):  # noqa: N802
        """Erases the keys of a document, relative to the bucket."""
        begin = time.monotonic()
        document = xml.etree.ElementTree.fromstring(self.rfile.read(int(self.headers["Content-Length"])))
        bucket = self.file(urllib.parse.urlsplit(self.path))
        for key in document.iter("Key"):
            (bucket / key.text).unlink(missing_ok=True)
        self.answer(begin, 200, b"<DeleteResult></DeleteResult>", {})

    def file(self, url):
        return self.folder / urllib.parse.unquote(url.path).strip("/")

    def list(self, url):
        """Returns a list of S3, in one page: of the keys below a prefix, or of the names in a folder."""
        query = dict(urllib.parse.parse_qsl(url.query))
        bucket = self.file(url)
        prefix = query.get("prefix", "")
        keys, folders = [], set()
        for name, entry in sorted(files_below(bucket / prefix)):
            if "delimiter" in query and "/" in name:
                folders.add(prefix + name.split("/")[0] + "/")
            else:
                keys.append((prefix + name, entry.stat()))
        text = "".join(
            f"<Contents><Key>{escaped(key)}</Key><Size>{found.st_size}</Size>"
            f"<ETag>{escaped(etag(found))}</ETag></Contents>"
            for key, found in keys)
        text += "".join(f"<CommonPrefixes><Prefix>{escaped(name)}</Prefix></CommonPrefixes>"
                        for name in sorted(folders))
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{text}</ListBucketResult>".encode()

    def select(self, found):
        """Returns the status, the first byte to send, their number, and headers."""
        size = found.st_size
        headers = headers_of(found)
        if self.headers.get("If-Match", headers["ETag"]) != headers["ETag"]:
            return 412, 0, 0, {}
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return 200, 0, size, headers
        if asked[1]:
            first = int(asked[1])
            stop = min(int(asked[2]) + 1, size) if asked[2] else size
        else:
            first, stop = max(0, size - int(asked[2])), size
        if first >= stop:
            return 416, 0, 0, {"Content-Range": f"bytes */{size}"}
        headers["Content-Range"] = f"bytes {first}-{stop - 1}/{size}"
        return 206, first, stop - first, headers

    def pieces(self, begin, size):
        """Returns the pieces of `size` bytes, each when a connection has carried it since `begin`."""
        for first in range(0, size, self.piece):
            stop = min(first + self.piece, size)
            sleep_until(begin + stop / self.bandwidth)
            yield first, stop

    def answer(self, begin, status, body, headers, length=None):
        """Sends an answer that begins after the latency."""
        sleep_until(begin + self.latency)
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        view = memoryview(body)
        for first, stop in self.pieces(begin + self.latency, len(body)):
            self.wfile.write(view[first:stop])
            self.wfile.flush()
        self.wfile.flush()

    def log_message(self, format, *args):  # noqa: A002
        pass


def files_below(folder, above=""):
    """Returns the names of the files below a folder, with their entries."""
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir():
            yield from files_below(entry.path, above + entry.name + "/")
        else:
            yield above + entry.name, entry


def sleep_until(end):
    time.sleep(max(0, end - time.monotonic()))


def headers_of(found):
    return {"ETag": etag(found), "Last-Modified": email.utils.formatdate(found.st_mtime, usegmt=True)}


def etag(found):
    return f'"{found.st_mtime_ns:x}-{found.st_ino:x}-{found.st_size:x}"'


def escaped(text):
    return xml.sax.saxutils.escape(text)


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Clients may go at any time."""


def main(folder, port, latency="30", bandwidth="60", certificate=None, log=None):
    Handler.folder = pathlib.Path(folder)
    Handler.latency = float(latency) / 1e3
    Handler.bandwidth = float(bandwidth) * 1e6
    if log:
        Handler.log = open(log, "a", buffering=1)
    server = Server(("127.0.0.1", int(port)), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
