# SPDX-License-Identifier: Apache-2.0
"""The pages of the documentation: book, gallery, reference, tables, search."""

import csv
import html
import json
import pathlib
import re

import diagram
import errors
import gallery
from markdown import Converter, anchor_of
from reference import LABEL

# The book's pages, in the order in which they are read.
BOOK = ("start", "concepts", "functions", "stores", "engines", "program", "scaling", "performance",
        "measured", "packages", "embedding", "extending", "troubleshooting")

MERMAID = re.compile(r'<pre class="mermaid"><code>(.*?)</code></pre>', re.DOTALL)

# A program in a page.
PROGRAM = re.compile(r'<pre class="cpp">.*?</pre>', re.DOTALL)

# A name in a program, inside of a link or not.
CALL = re.compile(r'(<a href="[^"]*">)?\bts::((?:\w+::)*\w+)')

# Namespaces that programs name; they have no page.
NAMESPACES = {"literals"}


def escaped(text):
    return html.escape(text, quote=False)


class Site:
    """All pages by their path: "book/start.html" has a title and a body of HTML."""

    def __init__(self, root, reference):
        self.root = root
        self.reference = reference
        self.pages = {}
        self.address_of_name = {}
        for family in reference.families.values():
            for name in family.names:
                self.address_of_name.setdefault(name.name, f"{family.page}#{name.anchor}")
        self.programs = gallery.programs_of(root)
        self.users_of_name = self.find_users()
        self.add_markdown_pages()
        self.add_gallery()
        self.add_reference()
        self.add_table_of_words()
        self.add_errors()
        self.add_start()

    def find_users(self):
        """Returns the programs that call each name, as `ts::name`."""
        users = {}
        for program in self.programs:
            for name in set(re.findall(r"\bts::((?:\w+::)*\w+)", program.source)):
                users.setdefault(name, []).append(program)
        return users

    def converter(self, page):
        """Returns a converter of Markdown for a page, whose links are relative to it."""
        return Converter(lambda name: self.relative(page, self.address_of(name)),
                         lambda address: self.link(page, address))

    def address_of(self, name):
        """Returns the address of a name, or of the class that it is a member of, or None."""
        outer = name.rpartition("::")[0]
        return self.address_of_name.get(name) or self.address_of_name.get(outer)

    def problems(self):
        """Returns one line for each public name without a sentence, for each name in a program that does
        not lead to the reference, and for each name in the table of words that is not there."""
        found = [f"{name.family}: {name.name} has no sentence" for name in self.reference.names
                 if not name.sentence]
        found += [f"{page}: ts::{name} leads nowhere" for page in self.pages
                  for name in sorted(self.names_without_page(page))]
        for row in self.words():
            for name in re.findall(r"`([^`]*)`", row["ours"]):
                if self.address_of(name) is None:
                    found.append(f"words.csv: there is no {name}")
        return found

    def words(self):
        with open(self.root / "examples/book/words.csv", newline="") as file:
            return list(csv.DictReader(file))

    @staticmethod
    def relative(page, address):
        """Returns an address in the site as a link from a page."""
        if address is None:
            return None
        return "../" * page.count("/") + address

    def link(self, page, address):
        """Returns the link of a Markdown page: to other pages of the site, or outwards."""
        if re.match(r"[a-z]+:|#", address):
            return address
        path, _, anchor = address.partition("#")
        stem = pathlib.PurePath(path).stem.lower()
        targets = {"architecture": "architecture.html", "contributing": "contributing.html",
                   "changelog": "changelog.html", "clouds": "clouds.html", "security": "security.html",
                   "gallery": "gallery/index.html", "compile_fail": "errors.html"}
        targets |= {name: f"book/{name}.html" for name in BOOK}
        target = targets.get(stem)
        if target is None:
            return address
        return self.relative(page, target + (f"#{anchor}" if anchor else ""))

    def add(self, page, title, body):
        self.pages[page] = (title, self.link_calls(page, body))

    def add_markdown_pages(self):
        for name in BOOK:
            path = self.root / "examples/book" / f"{name}.md"
            page = f"book/{name}.html"
            self.add(page, self.title_of(path), self.converter(page).page(path.read_text()))
        for path in sorted((self.root / ".github").glob("*.md")):
            page = f"{path.stem.lower()}.html"
            body = self.converter(page).page(path.read_text())
            self.add(page, self.title_of(path), re.sub(MERMAID, self.diagram, body))

    @staticmethod
    def diagram(match):
        """Returns a flowchart as a picture, or as its text without Graphviz."""
        picture = diagram.drawn(html.unescape(match[1]))
        return f'<figure class="diagram">{picture}</figure>' if picture else match[0]

    @staticmethod
    def title_of(path):
        return re.search(r"(?m)^# (.*)", path.read_text())[1]

    def add_gallery(self):
        cards, others = [], []
        for program in self.programs:
            body = self.converter(program.page).page(program.text)
            self.add(program.page, program.title, body + program.figures())
            (cards if program.is_literate else others).append(self.entry_of(program))
        self.add("gallery/index.html", "Gallery",
                 "<h1>Gallery</h1><p>Whole programs, compiled and run, with their output, plans and "
                 f'results.</p><ul class="cards">{"".join(cards)}</ul>'
                 f'<h2 id="examples">Larger examples</h2><ul>{"".join(others)}</ul>')

    def entry_of(self, program):
        """Returns the line of a program in the gallery: a picture, if it has one, title and sentence."""
        picture = self.result_of(program)
        image = f'<img src="{picture}" alt="" loading="lazy">' if picture else ""
        sentence = self.converter("gallery/index.html").inline(program.sentence)
        return (f'<li>{image}<a href="{program.name}.html">{escaped(program.title)}</a> '
                f"<span>{sentence}</span></li>")

    @staticmethod
    def result_of(program):
        """Returns the picture that stands for a program, or None: a field rather than a line."""
        results = [name for name in program.pictures if not name.endswith("-plan.svg")]
        return next(iter([name for name in results if name.endswith(".png")] + results), None)

    def link_calls(self, page, body):
        """Links the names in programs, `ts::mean`, to the reference. A member, `ts::runtime::help`, leads
        to its class, and the tag of a function, `ts::op::mean`, to the function."""
        def linked(match):
            name = match[2].removeprefix("op::")
            address = self.relative(page, self.address_of(name))
            return f'<a href="{address}">{match[0]}</a>' if address else match[0]
        return PROGRAM.sub(lambda program: CALL.sub(linked, program[0]), body)

    def names_without_page(self, page):
        """Returns the names in the programs of a page that do not lead to the reference."""
        return {match[2] for program in PROGRAM.findall(self.pages[page][1])
                for match in CALL.finditer(program) if not match[1]} - NAMESPACES

    def add_reference(self):
        rooms = {}
        for family in self.reference.families.values():
            rooms.setdefault(family.room, []).append(family)
            self.add(family.page, family.path, self.family_body(family))
        parts = ["<h1>Reference</h1><p>Every public name, by header. <code>#include "
                 "&lt;tessera/tessera.hpp&gt;</code> brings what programs need.</p>"]
        for room, families in rooms.items():
            rows = "".join(
                f'<tr><td><a href="{family.page.removeprefix("reference/")}">{escaped(family.path)}</a>'
                f"</td><td>{self.converter(family.page).inline(family.sentence)}</td></tr>"
                for family in families)
            parts.append(f'<h2 id="{room}">{room}</h2><div class="table"><table>{rows}</table></div>')
        self.add("reference/index.html", "Reference", "".join(parts))

    def family_body(self, family):
        convert = self.converter(family.page)
        parts = [f"<h1>{escaped(family.path)}</h1><p>{convert.inline(family.sentence)}</p>"]
        parts += [f"<p>{convert.inline(paragraph)}</p>" for paragraph in family.essay]
        parts.append(f"<pre class=\"cpp\"><code>#include &lt;tessera/{family.path}&gt;</code></pre>")
        anchors = set()
        for name in family.names:
            is_new = name.anchor not in anchors
            anchors.add(name.anchor)
            identity = f' id="{name.anchor}"' if is_new else ""
            parts.append(f"<h2{identity}>{escaped(name.name)}</h2>")
            for overload in name.overloads:
                parts.append(f'<pre class="cpp"><code>{escaped(overload.declaration)}</code></pre>')
                parts += [self.paragraph(convert, text) for text in overload.paragraphs]
            users = self.users_of_name.get(name.name, [])
            if users:
                links = ", ".join(f'<a href="../{program.page}">{escaped(program.title)}</a>'
                                  for program in users)
                parts.append(f'<p class="users">Used by: {links}</p>')
        return "".join(parts)

    @staticmethod
    def paragraph(convert, text):
        label = LABEL.match(text)
        if not label:
            return f"<p>{convert.inline(text)}</p>"
        return f'<p class="fact"><span>{label[1]}</span> {convert.inline(text[label.end():].strip())}</p>'

    def add_table_of_words(self):
        page = "words.html"
        convert = self.converter(page)
        rows = self.words()
        parts = ["<h1>From other libraries</h1>"]
        for library in dict.fromkeys(row["library"] for row in rows):
            body = "".join(
                f"<tr><td><code>{escaped(row['theirs'])}</code></td>"
                f"<td>{convert.inline(row['ours'])}</td><td>{convert.inline(row['note'])}</td></tr>"
                for row in rows if row["library"] == library)
            parts.append(f'<h2 id="{anchor_of(library)}">From {escaped(library)}</h2><div class="table">'
                         f"<table><tr><th>{escaped(library)}</th><th>Tessera</th><th></th></tr>{body}"
                         "</table></div>")
        self.add(page, "From other libraries", "".join(parts))

    def add_errors(self):
        convert = self.converter("errors.html")
        self.add("errors.html", "Errors of the compiler",
                 convert.page(errors.markdown_of(self.root / "tests/compile_fail")))

    def add_start(self):
        """Adds the first page: the README's promise, program and table of pages, and the others."""
        readme = (self.root / "README.md").read_text()
        promise, _, rest = readme.partition("On Debian 12")
        program = re.search(r"```cpp\n.*?```", rest, re.DOTALL)[0]
        pages = re.search(r"(?m)(^\|.*\n)+", rest.partition("## Read on")[2])[0]
        convert = self.converter("index.html")
        shown = next(program for program in self.programs if program.name == "pyramids")
        picture = self.result_of(shown)
        figure = f'<a href="{shown.page}"><img class="first" src="gallery/{picture}" alt="{shown.title}"></a>' \
                 if picture else ""
        self.add("index.html", "Tessera",
                 f'<div class="promise">{convert.page(promise).replace("<ul>", f"{figure}<ul>", 1)}</div>'
                 + convert.page(program) + convert.page(pages) + """
<h2 id="more">More</h2>
<ul><li><a href="gallery/index.html">Gallery</a>: whole programs with their output</li>
<li><a href="reference/index.html">Reference</a>: every public name</li>
<li><a href="words.html">From NumPy, xarray, Dask, Cubed, TensorStore, Eigen, xtensor</a></li>
<li><a href="errors.html">Errors of the compiler</a>: wrong programs, the sentence, the right ones</li>
<li><a href="architecture.html">Architecture</a></li>
<li><a href="contributing.html">Contributing</a></li><li><a href="changelog.html">Changes</a></li></ul>""")

    def search_index(self):
        """Returns the entries of the search: [words, title, address]."""
        entries = [[title, title, page] for page, (title, _) in self.pages.items()
                   if not page.startswith("reference/")]
        for page in self.pages:
            if page.startswith(("book/", "architecture")):
                entries += self.headings_of(page)
        for name in self.reference.names:
            entries.append([name.name, name.family, self.address_of_name[name.name]])
        return entries + self.headings_of("errors.html")

    def headings_of(self, page):
        """Returns the entries of the headings of a page."""
        title, body = self.pages[page]
        return [[re.sub(r"<[^>]*>", "", text), title, f"{page}#{anchor}"]
                for anchor, text in re.findall(r'<h[23] id="([^"]*)">(.*?)</h', body)]

    def write(self, out):
        """Writes all pages into the folder `out`."""
        source = pathlib.Path(__file__).parent
        style = (source / "style.css").read_text()
        script = (source / "search.js").read_text()
        out.mkdir(parents=True)
        (out / "style.css").write_text(style)
        (out / "search.js").write_text(
            f"const entries = {json.dumps(self.search_index(), separators=(',', ':'))};\n{script}")
        for page, (title, body) in self.pages.items():
            up = "../" * page.count("/")
            path = out / page
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escaped(title)} - Tessera</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="{up}style.css"></head><body>
<nav><a href="{up}index.html">Tessera</a> <a href="{up}book/start.html">Book</a>
<a href="{up}gallery/index.html">Gallery</a> <a href="{up}reference/index.html">Reference</a>
<input id="search" type="search" placeholder="Search" aria-label="Search" data-root="{up}">
<ul id="found"></ul></nav><main>
{body}
</main><script src="{up}search.js"></script></body></html>
""")
        for program in self.programs:
            for name, data in program.pictures.items():
                (out / "gallery" / name).write_bytes(data)
