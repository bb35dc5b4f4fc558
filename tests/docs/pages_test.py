# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation and opens its pages as a reader does.

usage: pages_test.py <source directory>
"""

import base64
import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path[:0] = [str(ROOT / "cmake/docs"), str(ROOT / "tests/browser")]

import check  # noqa: E402
import chromium  # noqa: E402
import diagram  # noqa: E402
import gallery  # noqa: E402
import site_pages  # noqa: E402
from markdown import Converter, anchor_of  # noqa: E402

# The public names of Cubed 0.27: __all__ of cubed and of cubed.array_api, and of cubed.random.
CUBED = """Callback Spec TaskEndEvent apply_gufunc compute config from_array from_zarr map_blocks map_overlap
measure_reserved_mem nanmean nansum pad plan raise_if_computes random random.random rechunk store to_zarr
visualize __version__ __array_api_version__ __array_namespace_info__ Array e inf nan newaxis pi arange
asarray empty empty_like eye full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like
astype can_cast finfo iinfo isdtype result_type bool complex64 complex128 float32 float64 int8 int16 int32
int64 uint8 uint16 uint32 uint64 abs acos acosh add asin asinh atan atan2 atanh bitwise_and
bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos
cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less
less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum
multiply nextafter negative not_equal positive pow real reciprocal remainder round sign signbit sin sinh
sqrt square subtract tan tanh trunc take matmul matrix_transpose tensordot vecdot broadcast_arrays
broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze
stack tile unstack argmax argmin count_nonzero searchsorted where isin cumulative_prod cumulative_sum max
mean min prod std sum var all any diff linalg""".split()


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.folder = pathlib.Path(directory.name) / "docs"
        done = subprocess.run([ROOT / "cmake/docs.sh", cls.folder], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.names = set(re.findall(r'<h2[^>]*>([\w:]+)</h2>', "".join(
            path.read_text() for path in (cls.folder / "reference").glob("*.html"))))

    def test_names_that_programs_use_have_pages(self):
        umbrella = {"mean", "sum", "open", "store", "plan", "spec", "rechunk", "any_array", "diff",
                    "executors::processes", "random::normal", "register_store", "observer", "runtime",
                    "fft_norm", "points", "cumulative_options", "tessera_append", "tessera_statistics"}
        self.assertLessEqual(umbrella, self.names)

    def test_every_name_in_a_program_leads_to_the_reference(self):
        links, unlinked = 0, set()
        for path in self.folder.rglob("*.html"):
            for program in re.findall(r'(?s)<pre class="cpp">(.*?)</pre>', path.read_text()):
                links += len(re.findall(r'<a href="[^"]*reference/[^"]*">ts::', program))
                unlinked.update(re.findall(r'(?<!">)\bts::[\w:]+', program))
        self.assertGreater(links, 800)
        self.assertEqual(unlinked, {"ts::literals"})  # a namespace

    def test_every_function_of_the_standard_has_a_page(self):
        sys.path.insert(0, str(ROOT / "tests/static"))
        import array_api
        table = array_api.__dict__["STANDARD"]
        page = (ROOT / "examples/book/functions.md").read_text()
        listed = set(" ".join(table.values()).split())
        there = {name for row in re.findall(r"(?m)^\| [a-z ]+ \| `([a-z0-9_ ]+)` \|", page)
                 for name in row.split()} & listed
        self.assertGreater(len(there), 150)
        self.assertEqual(there - self.names, set())

    def test_every_public_name_of_cubed_has_a_row_or_a_page(self):
        with open(ROOT / "examples/book/words.csv", newline="") as file:
            theirs = {name.strip().removeprefix("cubed.") for row in csv.DictReader(file)
                      if row["library"] == "Cubed" for name in row["theirs"].split(",")}
        lacking = [name for name in CUBED if name not in theirs and name not in self.names]
        self.assertEqual(lacking, [])

    def test_rows_name_functions_that_are_there(self):
        with open(ROOT / "examples/book/words.csv", newline="") as file:
            for row in csv.DictReader(file):
                for name in re.findall(r"`([^`]*)`", row["ours"]):
                    self.assertIn(name, self.names, row)

    def test_the_first_page_leads_to_every_page(self):
        reached = set()
        ahead = [self.folder / "index.html"]
        while ahead:
            path = ahead.pop()
            if path in reached:
                continue
            reached.add(path)
            for link in check.Page(path.read_text()).links:
                target = (path.parent / link.split("#")[0]).resolve() if "://" not in link else None
                if target and target.suffix == ".html" and target.is_file():
                    ahead.append(target)
        self.assertEqual(set(map(str, self.folder.rglob("*.html"))) - set(map(str, reached)),
                         {str(self.folder / name) for name in ("clouds.html", "security.html")}
                         - set(map(str, reached)))

    def test_pages_fit_a_phone(self):
        pages = ["index.html", "book/concepts.html", "book/performance.html", "words.html",
                 "architecture.html", "errors.html", "gallery/index.html", "gallery/hello.html", "gallery/climate.html", "reference/index.html",
                 "reference/function-sums.html", "reference/array-any_array.html"]
        with chromium.Browser(width=390, height=800) as browser:
            for page in pages:
                browser.open(self.folder / page)
                self.assertLessEqual(browser.value("document.documentElement.scrollWidth"), 390, page)

    def test_programs_show_pictures_of_their_results(self):
        page = check.Page((self.folder / "gallery/climate.html").read_text())
        pictures = [link for link in page.links if link.startswith("climate-")]
        self.assertEqual(pictures, ["climate-plan.svg", "climate-anomaly.svg", "climate-warming.png"])
        self.assertTrue((self.folder / "gallery/climate-warming.png").read_bytes().startswith(b"\x89PNG"))

    def test_errors_stand_beside_the_right_program(self):
        rows = (self.folder / "errors.html").read_text().split("<tr>")
        row, = [row for row in rows if "ts::sum(a3, ts::axis&lt;5&gt;)" in row]
        self.assertIn("requires every axis to be in [-rank, rank) of x", row)
        self.assertIn("ts::sum(a3, ts::axis&lt;2&gt;)", row)
        self.assertGreater(len(rows), 900)

    def test_members_show_their_defaults(self):
        page = (self.folder / "reference/core-spec.html").read_text()
        self.assertIn("bytes allowed_memory {2'000'000'000}", page)

    def test_the_first_page_shows_promise_program_and_result(self):
        page = (self.folder / "index.html").read_text()
        for part in ("<strong>Bounded.</strong>", ">ts::matmul</a>(a, b) + 1.0", "gallery/pyramids-level1.png",
                     "a first program; expression, plan, memory promise"):
            self.assertIn(part, page)

    def test_search_finds_names_without_a_server(self):
        with chromium.Browser() as browser:
            browser.open(self.folder / "book/start.html")
            browser.value("field.value = 'nanmean'; field.dispatchEvent(new Event('input'))")
            link = browser.value("list.querySelector('a').href")
            self.assertRegex(link, r"reference/function-nan_statistical\.html#nanmean$")
            browser.value("setTimeout(() => list.querySelector('a').click()); 0")
            browser.wait_for("document.getElementById('nanmean').textContent === 'nanmean'")

    def test_colours_follow_the_reader(self):
        for is_dark in (False, True):
            with chromium.Browser(is_dark=is_dark) as browser:
                browser.open(self.folder / "index.html")
                colour = browser.value("getComputedStyle(document.body).backgroundColor")
                self.assertEqual(colour, "rgb(20, 23, 26)" if is_dark else "rgb(255, 255, 255)")

    def test_paper_is_white_and_as_wide_as_pages(self):
        # A4 has 718 pixels of 1/96 inch between margins of 1 cm.
        with chromium.Browser(width=718, is_dark=True) as browser:
            browser.send("Emulation.setEmulatedMedia", media="print",
                         features=[{"name": "prefers-color-scheme", "value": "dark"}])
            for path in [*self.folder.glob("*.html"), *self.folder.glob("[bg]*/*.html")]:
                browser.open(path)
                shown = browser.value("""({
                    paper: getComputedStyle(document.body).backgroundColor,
                    ink: getComputedStyle(document.body).color,
                    menu: getComputedStyle(document.querySelector('nav')).display,
                    wide: [...document.querySelectorAll('main *')].filter(
                        e => e.getBoundingClientRect().right > innerWidth + 1).length})""")
                self.assertEqual(shown, {"paper": "rgb(255, 255, 255)", "ink": "rgb(0, 0, 0)", "menu": "none",
                                         "wide": 0}, path)
            pdf = base64.b64decode(browser.send("Page.printToPDF")["data"])
            self.assertTrue(pdf.startswith(b"%PDF-"))


class Check(unittest.TestCase):
    def problems(self, **pages):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in pages.items():
                (pathlib.Path(directory) / f"{name}.html").write_text(text)
            return check.problems(pathlib.Path(directory).resolve())

    def test_finds_links_that_lead_nowhere(self):
        found = self.problems(a='<p id="x"></p><a href="b.html#y">', b='<h1 id="z"><a href="c.html">'
                              '<a href="a.html#x"><a href="https://example.org/">')
        self.assertEqual(found, ["a.html: b.html#y: there is no such anchor",
                                 "b.html: c.html: there is no such file"])

    def test_finds_anchors_that_stand_twice(self):
        self.assertEqual(self.problems(a='<p id="x"></p><p id="x"></p>'),
                         ["a.html: the anchor #x stands twice"])


class Names(unittest.TestCase):
    def test_finds_names_in_programs_without_a_page(self):
        site = site_pages.Site.__new__(site_pages.Site)
        site.address_of_name = {"mean": "reference/sums.html#mean", "runtime": "reference/runtime.html#runtime"}
        site.pages = {}
        program = '<pre class="cpp"><code>ts::{}(x)</code></pre>'
        for name, unknown in (("mean", set()), ("op::mean", set()), ("runtime::help", set()),
                              ("meen", {"meen"}), ("op::meen", {"op::meen"})):
            site.add("book/a.html", "A", program.format(name))
            self.assertEqual(site.names_without_page("book/a.html"), unknown)
        site.add("book/a.html", "A", program.format("mean"))
        self.assertEqual(site.pages["book/a.html"][1],
                         program.replace("ts::{}", '<a href="../reference/sums.html#mean">ts::mean</a>'))


class Markdown(unittest.TestCase):
    def test_converts_what_pages_use(self):
        convert = Converter(lambda name: f"r#{name}" if name == "mean" else None)
        for text, page in (
                ("# A `b`", '<h1 id="a-b">A <code>b</code></h1>'),
                ("one\ntwo\n\nthree", "<p>one two</p>\n<p>three</p>"),
                ("- a\n  more\n- b\n  - c", "<ul><li>a more</li><li>b<ul><li>c</li></ul></li></ul>"),
                ("a\n\n    b < c\n    d",
                 '<p>a</p>\n<pre class="text"><code>b &lt; c\nd</code></pre>'),
                ("```cpp\na < b\n```", '<pre class="cpp"><code>a &lt; b</code></pre>'),
                ("**a** and *b*, 2 * 3 * 4", "<p><strong>a</strong> and <em>b</em>, 2 * 3 * 4</p>"),
                ("[x](y.html) & `mean(x)`",
                 '<p><a href="y.html">x</a> &amp; <a href="r#mean"><code>mean(x)</code></a></p>'),
                ("| a | b |\n| --- | --- |\n| 1 \\| 2 | 3 |",
                 '<div class="table"><table><tr><th>a</th><th>b</th></tr>'
                 "<tr><td>1 | 2</td><td>3</td></tr></table></div>")):
            self.assertEqual(convert.page(text), page)

    def test_a_diagram_of_an_order_has_the_arrows_that_follow_from_no_others(self):
        dot = diagram.Flowchart("flowchart TD\n  subgraph g\n    a --> b & c\n    b --> c\n  end\n  d --> g").dot
        self.assertEqual(re.findall(r"(\w+ -> \w+) ", dot), ["a -> b", "b -> c", "d -> a"])
        self.assertIn("d -> a [lhead = cluster_g]", dot)

    def test_anchors_are_those_of_github(self):
        self.assertEqual(anchor_of("Where do I look?"), "where-do-i-look")


class Programs(unittest.TestCase):
    def test_text_and_code_alternate(self):
        source = (gallery.LICENCE + "/// \\file\n/// # Means\n///\n/// Of `x`.\n#include <a>\n\n"
                  "int main() {\n/// The sum.\n  sum();\n}\n")
        page = Converter().page(gallery.markdown_of(source))
        self.assertEqual(re.sub(r"\s+", " ", page), '<h1 id="means">Means</h1> <p>Of <code>x</code>.</p> '
                         '<pre class="cpp"><code>#include &lt;a&gt; int main() {</code></pre> <p>The sum.</p> '
                         '<pre class="cpp"><code> sum(); }</code></pre>')


if __name__ == "__main__":
    unittest.main()
