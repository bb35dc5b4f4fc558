# SPDX-License-Identifier: Apache-2.0
"""Opens the page of a real run in a real browser.

usage: page_test.py <the program hello>
"""

import csv
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import chromium


def colours_of(path):
    """Returns the colours of a PNG of 8 bits a channel, as zlib and the filters of the format give them."""
    data = pathlib.Path(path).read_bytes()
    at, packed, width, channels = 8, b"", 0, 3
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, _, _, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
            channels = {2: 3, 6: 4}[colour]
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    raw, stride = zlib.decompress(packed), width * channels
    before, colours = bytearray(stride), set()
    for start in range(0, len(raw), stride + 1):
        line = bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            left = line[i - channels] if i >= channels else 0
            corner = before[i - channels] if i >= channels else 0
            above = before[i]
            estimate = left + above - corner
            nearest = min((abs(estimate - left), 0, left), (abs(estimate - above), 1, above),
                          (abs(estimate - corner), 2, corner))[2]
            line[i] = line[i] + (0, left, above, (left + above) // 2, nearest)[raw[start]] & 255
        colours.update(bytes(line[i:i + 3]) for i in range(0, stride, channels))
        before = line
    return colours


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.directory.name)
        cls.report = cls.report_on("threads:2")
        cls.page = cls.report / "timeline.html"

    @classmethod
    def report_on(cls, executor):
        """Runs the program and returns the report of the computation with the most operations."""
        reports = cls.folder / executor.replace(":", "-")
        subprocess.run([PROGRAM, f"--tessera-report={reports}", f"--tessera-executor={executor}"],
                       cwd=cls.folder, check=True, capture_output=True, timeout=300)
        return max(reports.iterdir(), key=lambda folder: len((folder / "history.csv").read_text().splitlines()))

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def opened(self, page=None, **options):
        browser = chromium.Browser(**options)
        self.addCleanup(browser.__exit__)
        browser.open(page or self.page)
        browser.wait_for("window.tessera && window.tessera.draws > 0")
        return browser

    def test_opens_without_an_exception_or_a_request(self):
        browser = self.opened()
        self.assertEqual(browser.complaints(), [])
        self.assertEqual(browser.value("document.getElementById('summary').textContent.startsWith('completed')"), True)

    def test_has_the_figures_of_the_table(self):
        browser = self.opened()
        with open(self.report / "history.csv", newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        self.assertGreater(len(lines), 0)
        shown = browser.value("[...document.querySelectorAll('#operations tbody tr')]"
                              ".map((row) => [...row.cells].slice(0, 7).map((cell) => cell.textContent))")
        expected = [[line[name] for name in ("operation", "label", "tasks", "done", "resumed", "failures", "backups")]
                    for line in lines]
        self.assertEqual(shown, expected)
        history = json.loads((self.report / "history.json").read_text())
        self.assertEqual(browser.value("JSON.parse(document.getElementById('record').textContent).elapsed_s"),
                         history["elapsed_s"])

    def test_has_the_critical_path_of_the_history(self):
        browser = self.opened()
        path = json.loads((self.report / "history.json").read_text())["critical_path"]
        self.assertGreater(len(path["operations"]), 0)
        shown = browser.value("[...document.querySelectorAll('#critical tbody tr')]"
                              ".map((row) => [...row.cells].slice(0, 2).map((cell) => cell.textContent))")
        with open(self.report / "history.csv", newline="", encoding="utf-8") as file:
            labels = [line["label"] for line in csv.DictReader(file)]
        self.assertEqual(shown[:-1], [[f"{part['operation']} {labels[part['operation']]}", str(part["attempts"])]
                                      for part in path["operations"]])
        self.assertEqual(shown[-1], ["waits", ""])
        # The button takes its frames from the picture.
        pictures = set()
        for _ in range(2):
            picture = self.folder / "path.png"
            browser.screenshot(picture)
            pictures.add(picture.read_bytes())
            draws = browser.value("window.tessera.draws")
            browser.value("document.getElementById('path').click()")
            browser.wait_for(f"window.tessera.draws > {draws}")
        self.assertEqual(len(pictures), 2)

    def test_has_the_times_of_workers(self):
        browser = self.opened()
        with open(self.report / "workers.csv", newline="", encoding="utf-8") as file:
            expected = [list(line.values()) for line in csv.DictReader(file)]
        self.assertGreater(len(expected), 0)
        shown = browser.value("JSON.parse(document.getElementById('record').textContent).idle_workers")
        shown = [[str(value) for value in row] for row in shown]
        self.assertEqual(sorted(shown), sorted(expected))
        self.assertEqual(browser.value("document.querySelectorAll('#workers tbody tr').length"), len(expected))

    def test_draws_the_starts_of_processes(self):
        # The processes of the first computation run the later ones, too.
        report = self.report_on("processes:2").parent / "1"
        browser = self.opened(report / "timeline.html")
        with open(report / "workers.csv", newline="", encoding="utf-8") as file:
            workers = list(csv.DictReader(file))
        self.assertTrue(any(float(worker["start_up_s"]) > 0 for worker in workers), workers)
        record = "JSON.parse(document.getElementById('record').textContent)"
        expected = [workers[0]["host"], sum(worker["done"] != "0" for worker in workers)]
        self.assertEqual(browser.value(f"{record}.hosts"), [expected])
        picture = self.folder / "starts.png"
        browser.screenshot(picture)
        self.assertIn(bytes((169, 196, 220)), colours_of(picture))

    def test_draws_the_memory_that_is_allowed(self):
        browser = self.opened()
        allowed = json.loads((self.report / "history.json").read_text())["allowed_memory"]
        self.assertEqual(allowed, 2_000_000_000)
        # The limit is far above the memory of this run: its line is red, at the top of the curves.
        reds = browser.value("(() => { const canvas = document.getElementById('canvas');"
                             " const top = Math.round(parseFloat(canvas.style.height)) - 148;"
                             " const pixels = canvas.getContext('2d').getImageData(64, top - 1, canvas.width - 80, 2).data;"
                             " let count = 0;"
                             " for (let i = 0; i < pixels.length; i += 4)"
                             " count += pixels[i] - pixels[i + 1] > 30 && Math.abs(pixels[i + 1] - pixels[i + 2]) < 12;"
                             " return count; })()")
        self.assertGreater(reds, 0)

    def test_draws_in_light_and_dark(self):
        backgrounds = set()
        for is_dark in (False, True):
            browser = self.opened(is_dark=is_dark)
            picture = self.folder / f"page-{is_dark}.png"
            browser.screenshot(picture)
            self.assertGreater(len(colours_of(picture)), 20, "the picture is blank")
            backgrounds.add(browser.value("getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(backgrounds), 2)

    def test_fits_a_phone(self):
        browser = self.opened(width=390, height=844)
        self.assertEqual(browser.value("document.documentElement.scrollWidth"), 390)
        self.assertEqual(browser.complaints(), [])

    def test_zooms_and_moves(self):
        browser = self.opened()
        box = browser.value("(({x, y, width, height}) => ({x, y, width, height}))"
                            "(document.getElementById('canvas').getBoundingClientRect())")
        x, y = box["x"] + box["width"] / 2, box["y"] + 40
        span = "window.tessera.view().t1 - window.tessera.view().t0"
        whole = browser.value(span)
        browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400)
        browser.wait_for(f"{span} < {whole * 0.8}")
        begin = browser.value("window.tessera.view().t0")
        browser.mouse("mousePressed", x, y, button="left", clickCount=1)
        browser.mouse("mouseMoved", x - 150, y, button="left", buttons=1)
        browser.mouse("mouseReleased", x - 150, y, button="left", clickCount=1)
        browser.wait_for(f"window.tessera.view().t0 > {begin}")
        # The address holds the view: another page opens the same.
        address = browser.value("location.hash")
        self.assertTrue(address.startswith("#"))
        browser.value("document.getElementById('plot').focus()")
        browser.key("0", text="0")
        browser.wait_for(f"{span} >= {whole}")
        browser.key("ArrowRight")
        browser.key("+", text="+")
        browser.wait_for(f"{span} < {whole}")
        self.assertEqual(browser.complaints(), [])

    def test_tells_of_the_batch_below_the_pointer(self):
        browser = self.opened()
        box = browser.value("(({x, y, width}) => ({x, y, width}))"
                            "(document.getElementById('canvas').getBoundingClientRect())")
        texts = set()
        for step in range(1, 300):
            browser.mouse("mouseMoved", box["x"] + 64 + (box["width"] - 72) * step / 300, box["y"] + 30)
            text = browser.value("document.getElementById('hover').hidden ? '' : "
                                 "document.getElementById('hover').textContent")
            texts.add(text)
        texts.discard("")
        self.assertTrue(texts, "no batch was found along the first worker")
        with gzip.open(self.report / "tasks.csv.gz", "rt", newline="", encoding="utf-8") as file:
            batches = {(row["operation"], row["worker"], row["host"], int(row["first"]),
                        int(row["first"]) + int(row["count"]) - 1) for row in csv.DictReader(file)}
        for text in texts:
            found = re.match(r"(\d+) .*\nworker (\d+) on (\S+), tasks (\d+) to (\d+): ended\n", text)
            self.assertTrue(found, text)
            self.assertIn((found[1], found[2], found[3], int(found[4]), int(found[5])), batches)

    def test_searches(self):
        browser = self.opened()
        browser.value("document.getElementById('search').focus()")
        label = browser.value("JSON.parse(document.getElementById('record').textContent).operations[0].label")
        browser.send("Input.insertText", text=label[:5])
        browser.wait_for("document.querySelectorAll('#operations tr.chosen').length > 0")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    if chromium.find() is None:
        sys.exit("the tests of pages need a browser: install Debian's package chromium")
    unittest.main()
