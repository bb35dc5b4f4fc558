#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a host with the driver of a run in a bucket, and starts the program again on another host.

usage: takeover.py [--real] [--tool TOOL] RADOSGW_SCRIPT PROGRAM LAUNCHER

PROGRAM is chaos_program, whose data and intermediate arrays are in a bucket, and so are the messages of
its run. As root, each host has a name and a temporary directory of its own. The programs reach the server
through a relay. Once the first program is dead, it dates answers two minutes later, so that the second one
finds the sign of life of the dead driver old. With --real the answers stay as they are: the program must take
the run over within 120 s. No task that the first program has finished may run again. TOOL, the program
`tessera`, lists the run as one without a driver before, and removes a folder that is left behind. Then two
hosts start a program that never ends at once: one goes on, and the other one ends with a sentence.
"""
import argparse
import datetime
import email.utils
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from chaos import contents_of, session_members
from s3 import BUCKET, KEY_ID, SECRET, Bucket, Server, free_ports

LONGEST = 300  # seconds of any run
MOST_OF_TAKEOVER = 120  # seconds
INTERRUPTED = 130
LATER = datetime.timedelta(seconds=120)


def require(condition, *words):
    if not condition:
        sys.exit("takeover.py: " + " ".join(map(str, words)))


def dated_later(answer):
    """Returns a part of an answer. A part that begins with the head of the answer gets a later date."""
    match = re.match(rb"HTTP/1\.1 .*?\r\nDate: ([^\r]*)\r\n", answer, re.DOTALL | re.IGNORECASE)
    if not match:
        return answer
    date = email.utils.parsedate_to_datetime(match[1].decode()) + LATER
    return answer[:match.start(1)] + email.utils.format_datetime(date, usegmt=True).encode() + answer[match.end(1):]


def pass_on(source, sink, change):
    try:
        while data := source.recv(1 << 20):
            sink.sendall(change(data))
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        source.close()
        sink.close()


class Relay:
    """Passes connections on to the server, and dates its answers later on demand."""

    def __init__(self, port, target):
        self.is_later = False
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", port), backlog=256)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            for end in (client, server):
                # Otherwise the body of an answer waits 40 ms for the receipt of its head.
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for ends in ((client, server, bytes), (server, client, self.dated)):
                threading.Thread(target=pass_on, args=ends, daemon=True).start()

    def dated(self, answer):
        return dated_later(answer) if self.is_later else answer


class Takeover:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = pathlib.Path(folder)
        self.port = free_ports(3)
        self.server = Server(arguments.script, str(self.folder / "radosgw"), self.port)
        self.bucket = Bucket(self.port)
        self.bucket.request("PUT")
        self.relay = Relay(self.port + 2, self.port)
        self.url = f"s3+http://127.0.0.1:{self.port + 2}/{BUCKET}"

    def start(self, host, *arguments, **variables):
        """Starts the program on a host of that name, with an empty directory."""
        here = self.folder / host
        here.mkdir(exist_ok=True)
        as_host = ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', host] if os.geteuid() == 0 else []
        words = [word.replace("URL", self.url) for word in arguments]
        environment = dict(os.environ, AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET, TMPDIR=str(here),
                           **variables)
        with open(here / "log", "ab") as log:
            return subprocess.Popen([*as_host, self.arguments.program, *words], cwd=here, env=environment,
                                    stdout=log, stderr=log, start_new_session=True)

    def run_well(self, host, *arguments):
        code = self.start(host, *arguments).wait(LONGEST)
        require(code == 0, arguments, "ended with", code, (self.folder / host / "log").read_text()[-3000:])

    def run_arguments(self, host):
        return ("run", "URL/data", "result", f"--tessera-report={self.folder / host / 'report'}",
                f"--tessera-executor=launcher:command={self.arguments.launcher},workers=2,max_elements=8,"
                "directory=URL/runs")

    def reference(self):
        files = self.folder / "files"
        files.mkdir()
        self.run_well("login", "prepare", str(files))
        self.run_well("login", "run", str(files), "result", "--tessera-executor=serial")
        self.expected = {name: contents_of(str(files / name)) for name in ("result", "result-max")}
        self.run_well("login", "prepare", "URL/data")

    def finished_chunks(self):
        return [key for key in self.bucket.keys("data/result-max/") if re.search(r"/\d+(\.\d+)*$", key)]

    def kill_amid_results(self):
        """Kills all processes of the first host once there are results."""
        first = self.start("first", *self.run_arguments("first"))
        end = time.monotonic() + LONGEST
        # Two tasks run at once, and each writes a chunk of every result.
        while len(self.finished_chunks()) < 4:
            require(first.poll() is None and time.monotonic() < end, "the first program has no result:",
                    (self.folder / "first" / "log").read_text()[-3000:])
        while members := session_members(first.pid):
            for process in members:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            first.poll()
        self.finished = self.finished_chunks()

    def drivers(self):
        """Returns the coordinators of the run by their epochs."""
        keys = [key for key in self.bucket.keys("runs/") if "/epoch/" in key]
        return {int(key.rpartition("/")[2]): self.bucket.request("GET", key).decode().split("\n")[0] for key in keys}

    def tool(self, *arguments):
        environment = dict(os.environ, AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET)
        return subprocess.run([self.arguments.tool, "runs", f"{self.url}/runs", *arguments], env=environment,
                              check=True, capture_output=True, text=True).stdout

    def list_by_tool(self):
        """The run, of a driver that is silent by the dates of the relay's answers."""
        runs = json.loads(self.tool("--json"))
        require([run["driver"] for run in runs] == list(self.drivers().values()), "listed are", runs)
        is_old = runs[0]["silent_seconds"] >= LATER.total_seconds() and not runs[0]["is_running"]
        require(is_old == (not self.arguments.real), "the tool says", runs)

    def remove_by_tool(self):
        """A folder that an element has written after the end of its run."""
        self.bucket.request("PUT", "runs/tessera-launcher-ended/0/1.report")
        require("the driver is gone" in self.tool(), "listed is", self.tool())
        require(self.tool("--remove").endswith("removed: 1\n") and not self.bucket.keys("runs/"), "it is left")

    def take_over(self):
        drivers = self.drivers()
        require(list(drivers) == [1], "one program has coordinated the run:", drivers)
        begin = time.monotonic()
        self.relay.is_later = not self.arguments.real
        if self.arguments.tool:
            self.list_by_tool()
        second = self.start("second", *self.run_arguments("second"))
        while 2 not in drivers and second.poll() is None:
            drivers = drivers | self.drivers()
        seconds = time.monotonic() - begin
        code = second.wait(LONGEST)
        require(code == 0, "the second program ended with", code,
                (self.folder / "second" / "log").read_text()[-3000:])
        require(2 in drivers and seconds < MOST_OF_TAKEOVER, "the takeover took", seconds, "s:", drivers)
        if os.geteuid() == 0:
            require([drivers[i].split()[-1] for i in (1, 2)] == ["first", "second"], "the hosts are", drivers)
        return seconds

    def check(self):
        """The results are those of the serial executor, and nothing else is left."""
        for name, expected in self.expected.items():
            require(self.bucket.contents(f"data/{name}/") == expected, name, "differs")
        for folder in ("runs/", "data/work"):
            require(not self.bucket.keys(folder), self.bucket.keys(folder), "are left")
        history = json.loads((self.folder / "second" / "report" / "1" / "history.json").read_text())
        operations = history["operations"]
        # The results begin when all operations before have ended.
        for each in operations[:-1]:
            require(each["resumed"] == each["tasks"] and each["attempts"] == 0, "tasks ran again:", each)
        last = operations[-1]
        require(last["resumed"] > 0, "tasks ran again:", last)
        require(last["resumed"] + last["attempts"] == last["tasks"], "tasks are missing or ran twice:", last)
        return last

    def start_two_at_once(self):
        self.relay.is_later = False
        for key in self.bucket.keys("data/result"):
            self.bucket.request("DELETE", key)
        both = {host: self.start(host, *self.run_arguments(host), CHAOS_ENDLESS="1") for host in ("third", "fourth")}
        end = time.monotonic() + LONGEST
        while not (ended := [host for host, program in both.items() if program.poll() is not None]):
            require(time.monotonic() < end, "both programs go on")
            time.sleep(0.1)
        words = (self.folder / ended[0] / "log").read_text()
        code = both.pop(ended[0]).returncode
        (host, other), = both.items()
        require(code == 1 and re.search(rf"is coordinated by process {other.pid} on .*, which is alive", words),
                ended[0], "ended with", code, words[-3000:])
        other.send_signal(signal.SIGTERM)
        require(other.wait(LONGEST) == INTERRUPTED, host, (self.folder / host / "log").read_text()[-3000:])
        require(not self.bucket.keys("runs/"), self.bucket.keys("runs/"), "are left")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--tool")
    for name in ("script", "program", "launcher"):
        parser.add_argument(name)
    with tempfile.TemporaryDirectory(prefix="tessera-takeover-") as folder:
        arguments = parser.parse_args()
        arguments.program = str(pathlib.Path(arguments.program).resolve())
        takeover = Takeover(arguments, folder)
        try:
            takeover.reference()
            takeover.kill_amid_results()
            seconds = takeover.take_over()
            last = takeover.check()
            if arguments.tool:
                takeover.remove_by_tool()
            takeover.start_two_at_once()
        finally:
            takeover.server.close()
    print(f"taken over after {seconds:.1f} s; {len(takeover.finished)} chunks of a result were there, "
          f"{last['resumed']} of {last['tasks']} tasks did not run again")


if __name__ == "__main__":
    main()
