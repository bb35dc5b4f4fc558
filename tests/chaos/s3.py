#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets a program work in a bucket while connections are cut, its processes are killed and the
server stops, and starts it again until it is done.

usage: s3.py [--seconds N] [--strikes N] [--seed N] [--cuts] RADOSGW_SCRIPT PROGRAM [OPTION...]

The program reaches radosgw through a relay, which cuts its connections. Strikes are drawn at
random: all connections are cut, the program is killed, one of its processes is killed; the server
stops for five seconds once. With --cuts, connections are cut and nothing else. A killed program is started again in an empty working directory, as on
another host, and must go on with the work of the killed one. At the end the bucket must have the
files of a run in directories, byte for byte, and nothing else; the output of the program has no
secret; and its descriptors and threads keep to a bound while it runs.
The bucket is read here, without the library.
"""
import argparse
import datetime
import hashlib
import hmac
import http.client
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import xml.etree.ElementTree

from chaos import LONGEST, MEMORY, contents_of, descendants, session_members

KEY_ID, SECRET = "AKIDTEST", "SECRETTEST"
BUCKET = "tessera"
PAUSE = 5.0  # seconds for which the server stops
MOST_DESCRIPTORS = 300  # of a process: 256 connections, and its files
MOST_THREADS = 40


def free_ports(count):
    """Returns the first of `count` neighbouring free ports below those of clients."""
    first = 8_000 + os.getpid() % 4_000 * 3
    while True:
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.create_server(("127.0.0.1", port)))
            return first
        except OSError:
            first += count
        finally:
            for opened in sockets:
                opened.close()


class Bucket:
    """Requests to the server, signed as version 4 of Amazon's signatures."""

    def __init__(self, port):
        self.port = port

    def request(self, method, key="", query=()):
        path = urllib.parse.quote(f"/{BUCKET}/{key}" if key else f"/{BUCKET}")
        arguments = urllib.parse.urlencode(sorted(query), quote_via=urllib.parse.quote)
        headers = self.signed(method, path, arguments)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, f"{path}?{arguments}" if arguments else path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {key}: {answer.status} {body[:200]}")
        return body

    def signed(self, method, path, arguments):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        headers = {"host": f"127.0.0.1:{self.port}", "x-amz-date": now,
                   "x-amz-content-sha256": hashlib.sha256(b"").hexdigest()}
        names = ";".join(sorted(headers))
        lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        request = "\n".join([method, path, arguments, lines, names,
                             headers["x-amz-content-sha256"]])
        scope = f"{now[:8]}/us-east-1/s3/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
        key = f"AWS4{SECRET}".encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        headers["authorization"] = (f"AWS4-HMAC-SHA256 Credential={KEY_ID}/{scope}, "
                                    f"SignedHeaders={names}, Signature={signature}")
        return headers

    def keys(self, prefix):
        keys, token = [], None
        while True:
            query = [("list-type", "2"), ("prefix", prefix)]
            page = xml.etree.ElementTree.fromstring(
                self.request("GET", query=query + ([("continuation-token", token)] if token else [])))
            space = page.tag.partition("}")[0] + "}"
            keys += [entry.findtext(f"{space}Key") for entry in page.iter(f"{space}Contents")]
            token = page.findtext(f"{space}NextContinuationToken")
            if not token:
                return keys

    def contents(self, prefix):
        """Returns name -> bytes of the values below a folder."""
        return {key[len(prefix):]: self.request("GET", key) for key in self.keys(prefix)}

    def num_uploads(self):
        """Returns the number of uploads in parts that were neither completed nor aborted."""
        return self.request("GET", query=[("uploads", "")]).count(b"<Upload>")


class Server:
    """radosgw, which can stop and start again."""

    def __init__(self, script, folder, port):
        self.folder, self.port = folder, port
        self.restarted = None
        self.process = subprocess.Popen(["bash", script, folder, str(port)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if self.process.stdout.readline() != b"ready\n":
            sys.exit("there is no server of S3 to test with: radosgw.sh does not start; install "
                     "Debian's packages radosgw, ceph-mon, ceph-osd, ceph-common and ceph-base")

    def gateway(self):
        if self.restarted is not None:
            return self.restarted.pid
        for process in descendants(self.process.pid):
            with open(f"/proc/{process}/cmdline", "rb") as file:
                if file.read().startswith(b"radosgw\0"):
                    return process
        raise RuntimeError("the gateway is gone")

    def stop_and_start(self):
        process = self.gateway()
        os.kill(process, signal.SIGKILL)
        if self.restarted is not None:
            self.restarted.wait()
        time.sleep(PAUSE)
        environment = dict(os.environ, CEPH_CONF=os.path.join(self.folder, "ceph.conf"))
        self.restarted = subprocess.Popen(["radosgw", "-f", "-n", "client.rgw.a"], env=environment,
                                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL)
        self.wait_for_answer()

    def wait_for_answer(self):
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=30).close()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit("the gateway does not answer after its restart")

    def close(self):
        if self.restarted is not None:
            self.restarted.kill()
            self.restarted.wait()
        self.process.stdin.close()
        self.process.wait()


class Relay:
    """Passes connections on to the server, and cuts all of them when it is told to."""

    def __init__(self, port, target):
        self.target = target
        self.lock = threading.Lock()
        self.connections = set()
        self.listener = socket.create_server(("127.0.0.1", port), backlog=256)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target), timeout=30)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            pair = (client, server)
            for end in pair:
                # Otherwise the body of an answer waits 40 ms for the receipt of its head.
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.connections.add(pair)
            for source, sink in (pair, pair[::-1]):
                threading.Thread(target=self.pass_on, args=(source, sink, pair),
                                 daemon=True).start()

    def pass_on(self, source, sink, pair):
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
        except OSError:
            pass
        self.end(pair)

    def end(self, pair):
        with self.lock:
            if pair not in self.connections:
                return
            self.connections.remove(pair)
        for end in pair:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def cut(self):
        with self.lock:
            pairs = list(self.connections)
        for pair in pairs:
            try:
                # The client's side sees a reset, as of a server that died.
                pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except OSError:
                pass
            self.end(pair)
        return len(pairs)


class Chaos:
    def __init__(self, arguments, directory):
        self.arguments = arguments
        self.directory = directory
        self.random = random.Random(arguments.seed)
        self.counts = {"cut": 0, "kill": 0, "worker": 0, "stop": 0, "idle": 0}
        self.num_strikes = self.num_starts = self.num_rounds = 0
        self.most = [0, 0]
        port = free_ports(3)
        self.server = Server(arguments.script, os.path.join(directory, "radosgw"), port)
        self.bucket = Bucket(port)
        self.bucket.request("PUT")
        self.relay = Relay(port + 2, port)
        self.place = f"s3+http://127.0.0.1:{port + 2}/{BUCKET}/data"

    def start(self, *arguments):
        """Starts the program in an empty directory, where nothing of an earlier start is."""
        self.num_starts += 1
        here = os.path.join(self.directory, f"host-{self.num_starts}")
        os.mkdir(here)
        self.log = open(here + ".log", "wb")
        environment = dict(os.environ, AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET,
                           TMPDIR=here)
        return subprocess.Popen([self.arguments.program, *arguments], cwd=here, env=environment,
                                stdout=self.log, stderr=self.log, start_new_session=True)

    def fail(self, words):
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            sys.stderr.write(file.read()[-4000:])
        sys.exit(f"seed {self.arguments.seed}, strike {self.num_strikes}: {words}")

    def run_well(self, *arguments):
        if self.start(*arguments).wait(LONGEST) != 0:
            self.fail(f"{arguments} failed")

    def reference(self):
        files = os.path.join(self.directory, "files")
        os.mkdir(files)
        self.run_well("prepare", files)
        self.run_well("run", files, "result", "--tessera-executor=serial")
        self.expected = {name: contents_of(os.path.join(files, name))
                         for name in ("input", "result", "result-max")}
        self.run_well("prepare", self.place)

    def strike(self, process):
        """Does harm; tells whether the program or a process of it was killed."""
        kinds = ["cut"] * 6 + ["kill"] * 2 + (["worker"] * 2 if descendants(process.pid) else [])
        kind = self.random.choice(kinds)
        if self.arguments.cuts:
            kind = "cut"
        elif self.counts["stop"] == 0 and self.num_strikes >= 3:
            kind = "stop"
        if kind == "cut" and self.relay.cut() == 0:
            kind = "idle"
        elif kind == "stop":
            self.server.stop_and_start()
        elif kind in ("kill", "worker"):
            victims = [process.pid] if kind == "kill" else sorted(descendants(process.pid))
            try:
                os.kill(self.random.choice(victims or [process.pid]), signal.SIGKILL)
            except ProcessLookupError:
                kind = "idle"
        self.counts[kind] += 1
        self.num_strikes += kind != "idle"
        return kind in ("kill", "worker")

    def measure(self, process):
        """Notes the descriptors and threads of the program."""
        for pid in [process.pid, *descendants(process.pid)]:
            try:
                found = [len(os.listdir(f"/proc/{pid}/{name}")) for name in ("fd", "task")]
            except OSError:
                continue
            self.most = list(map(max, self.most, found))
        if self.most[0] > MOST_DESCRIPTORS or self.most[1] > MOST_THREADS:
            self.fail(f"a process has {self.most} descriptors and threads")

    def run_once(self):
        """Returns whether the program ended well."""
        process = self.start("run", self.place, "result", *self.arguments.options)
        is_killed = False
        while process.poll() is None:
            try:
                process.wait(self.random.uniform(0, 0.5))
            except subprocess.TimeoutExpired:
                self.measure(process)
                if self.may_strike():
                    is_killed |= self.strike(process)
        while session_members(process.pid):
            time.sleep(0.002)
        if process.returncode != 0 and not is_killed:
            self.fail(f"it ended with code {process.returncode} without being killed")
        return process.returncode == 0

    def may_strike(self):
        return self.num_strikes < self.arguments.strikes and time.monotonic() < self.end

    def check(self):
        for name, expected in self.expected.items():
            found = self.bucket.contents(f"data/{name}/")
            if found != expected:
                names = sorted(key for key in {*found, *expected}
                               if found.get(key) != expected.get(key))
                self.fail(f"{name} differs in {names}")
        known = {f"data/{name}/{key}" for name, files in self.expected.items() for key in files}
        strays = sorted(set(self.bucket.keys("")) - known)
        if strays or self.bucket.num_uploads():
            self.fail(f"the bucket has {strays} and {self.bucket.num_uploads()} unfinished uploads")

    def check_logs(self):
        for name in os.listdir(self.directory):
            if not name.endswith(".log"):
                continue
            with open(os.path.join(self.directory, name), "rb") as file:
                if SECRET.encode() in file.read():
                    self.fail(f"the secret is in {name}")
        for name in os.listdir(self.directory):
            path = os.path.join(self.directory, name)
            if name != f"host-{self.num_starts}" or not os.path.isdir(path):
                continue
            # A worker that was killed while it loaded the plan leaves its copy.
            strays = [stray for stray in os.listdir(path) if not stray.startswith("tessera-copy-")]
            if strays:
                self.fail(f"{strays} were left in the working directory")

    def play(self):
        self.reference()
        self.end = time.monotonic() + self.arguments.seconds
        while self.num_rounds == 0 or self.may_strike():
            while not self.run_once():
                pass
            self.num_rounds += 1
            self.check()
            self.check_logs()
            for key in self.bucket.keys("data/result"):
                self.bucket.request("DELETE", key)
        print(f"{self.num_rounds} rounds, {self.num_starts} starts, {self.counts}, at most "
              f"{self.most[0]} descriptors and {self.most[1]} threads, seed {self.arguments.seed}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--strikes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--cuts", action="store_true")
    parser.add_argument("script")
    parser.add_argument("program")
    parser.add_argument("options", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    where = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="tessera-s3-", dir=where) as directory:
        chaos = Chaos(arguments, directory)
        try:
            chaos.play()
        finally:
            chaos.server.close()


if __name__ == "__main__":
    main()
