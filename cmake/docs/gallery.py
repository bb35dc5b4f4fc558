# SPDX-License-Identifier: Apache-2.0
"""Programs as pages: Markdown in `///` lines between code, the output of the program, its plan, and
pictures of its results."""

import os
import pathlib
import re
import subprocess
import tempfile
import textwrap

import pictures

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


def markdown_of(source):
    """Returns a literate program as Markdown. Text stands in `///` lines."""
    parts = []
    code = []

    def close():
        text = textwrap.dedent("\n".join(code).strip("\n"))
        if text.strip():
            parts.append(f"```cpp\n{text}\n```\n")
        code.clear()

    for line in source.removeprefix(LICENCE).split("\n"):
        if line.startswith("/// \\file"):
            continue
        text = re.match(r" *///(?: (.*)|$)", line)
        if text:
            close()
            parts.append(text[1] or "")
        else:
            if not line.strip() and parts and not code and not parts[-1].startswith("```"):
                parts.append("")
            code.append(line)
    close()
    return "\n".join(parts)


def is_literate(source):
    """Tells whether a program is written as a page: it begins with a heading."""
    return "\n/// # " in source


def title_of(path, source):
    heading = re.search(r"(?m)^/// # (.*)", source)
    return heading[1] if heading else path.stem


def sentence_of(text):
    """Returns the first sentence of a page in Markdown, or nothing if it begins with code."""
    paragraph = re.match(r"# .*\n\s*((?:(?!```).+\n)*)", text)[1]
    return re.match(r"(?:.*?[.](?=\s|$))?", " ".join(paragraph.split()))[0]


def plain_page(path, source):
    """Returns a program that is no literate one as Markdown: its essay, then its code."""
    essay = re.search(r"(?m)^/// \\file\n((?:///.*\n)+)", source)
    text = re.sub(r"(?m)^/// ?", "", essay[1]) if essay else ""
    code = source.removeprefix(LICENCE).replace(essay[0] if essay else "", "")
    return f"# {path.stem}\n\n{text}\n```cpp\n{code.strip()}\n```\n"


def files_in(folder):
    """Returns the pictures that a program left in its folder, by their file names."""
    plan = folder / "plan.svg"
    found = {"plan.svg": plan.read_bytes()} if plan.is_file() else {}
    return found | pictures.drawn(folder / "results.zarr")


def run(program, arguments, is_drawn):
    """Runs a program in an empty folder. Returns its output, and the pictures of its results if
    `is_drawn`."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True,
                              timeout=300, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stderr}")
        return done.stdout, files_in(pathlib.Path(folder)) if is_drawn else {}


class Program:
    """A program of examples/ as a page."""

    def __init__(self, path, programs):
        self.name = path.stem
        source = path.read_text()
        self.is_literate = is_literate(source)
        self.title = title_of(path, source)
        self.source = source
        self.text = markdown_of(source) if self.is_literate else plain_page(path, source)
        self.sentence = sentence_of(self.text)
        self.pictures = {}
        program = programs / path.stem
        if program.is_file():
            self.add_run(program)

    def add_run(self, program):
        """Adds the output of the program and, of a literate one, the pictures."""
        arguments = [] if self.is_literate or self.name == "hello" else ["--help"]
        shown, found = run(program, arguments, self.is_literate)
        heading = "Output" if not arguments else f"Output of {self.name} --help"
        self.text += f"\n## {heading}\n\n```text\n{shown.rstrip()}\n```\n"
        self.pictures = {f"{self.name}-{name}": data for name, data in found.items()}

    def figures(self):
        """Returns the pictures as HTML."""
        def figure(name):
            title = name.removeprefix(f"{self.name}-").rpartition(".")[0]
            return f'<figure><img src="{name}" alt="{title}"><figcaption>{title}</figcaption></figure>'
        return "".join(map(figure, self.pictures))

    @property
    def page(self):
        return f"gallery/{self.name}.html"


def programs_of(root):
    """Returns the programs of examples/, literate ones first."""
    examples = pathlib.Path(root) / "examples"
    built = pathlib.Path(os.environ.get("TESSERA_EXAMPLES", pathlib.Path(root) / "build/release/examples"))
    found = [Program(path, built / "gallery") for path in sorted((examples / "gallery").glob("*.cpp"))]
    return found + [Program(path, built) for path in sorted(examples.glob("*.cpp"))]
