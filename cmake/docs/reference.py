# SPDX-License-Identifier: Apache-2.0
"""Reads Doxygen's XML of the public headers: families (headers), and the public names in them."""

import dataclasses
import pathlib
import re
import xml.etree.ElementTree as ElementTree

# Names of these namespaces are the insides of functions, or for tests.
INNER = {"tessera::op", "tessera::function", "tessera::testing"}
LABEL = re.compile(r"\b(Shape|Chunks|Dtype|Memory|Requires|Throws|Complexity|Source|Example|Options|"
                   r"Threads|Threading|Thread safety|Returns|Source|Note):\s")
# The value of a variable is shown if it has no more characters.
LONGEST_VALUE = 40


@dataclasses.dataclass
class Overload:
    """A declaration, with its docstring: paragraphs of text with `code` in backticks."""
    declaration: str
    paragraphs: list
    line: int


@dataclasses.dataclass
class Name:
    """A public name: all its overloads in one header."""
    name: str
    kind: str
    family: str
    overloads: list

    @property
    def sentence(self):
        """The first sentence that an overload has, or ""."""
        for overload in self.overloads:
            if overload.paragraphs:
                return overload.paragraphs[0]
        return ""

    @property
    def anchor(self):
        return re.sub(r"\W+", "-", self.name).strip("-") or "operator"


@dataclasses.dataclass
class Family:
    """A header: its sentence, its essay, its names."""
    path: str
    sentence: str
    essay: list
    names: list

    @property
    def room(self):
        return self.path.split("/")[0] if "/" in self.path else "tessera"

    @property
    def page(self):
        return "reference/" + re.sub(r"[/.]", "-", self.path.removesuffix(".hpp")) + ".html"


def text_of(node):
    """Returns the text of a node, with code in backticks."""
    parts = [node.text or ""]
    for child in node:
        inner = text_of(child)
        if child.tag == "computeroutput" and "`" not in inner:
            inner = f"`{inner}`"
        parts += [inner, child.tail or ""]
    return re.sub(r"\s+", " ", "".join(parts))


def paragraphs_of(member):
    """Returns the paragraphs of a docstring; a label such as "Throws:" begins one."""
    found = []
    for description in ("briefdescription", "detaileddescription"):
        for para in member.find(description):
            text = text_of(para).strip()
            starts = [match.start() for match in LABEL.finditer(text)]
            edges = [0, *starts, len(text)]
            found += [text[a:b].strip() for a, b in zip(edges, edges[1:]) if text[a:b].strip()]
    return found


def declaration_of(member):
    """Returns a declaration as a user reads it."""
    text = lambda tag: text_of(member.find(tag)) if member.find(tag) is not None else ""
    parameters = member.find("templateparamlist")
    head = ""
    if parameters is not None:
        shown = [f"{text_of(p.find('type'))} {p.findtext('declname', '')}".strip()
                 for p in parameters.findall("param")]
        head = f"template <{', '.join(shown)}> "
    kind = member.get("kind")
    if kind == "enum":
        values = ", ".join(v.findtext("name") for v in member.findall("enumvalue"))
        return f"enum class {text('name')} {{ {values} }}"
    if kind == "typedef":
        return f"{head}using {text('name')} = {text('type')}"
    value = text("initializer") if kind == "variable" else ""
    shown = f" {value}" if len(value) <= LONGEST_VALUE else ""
    type_shown = text("type").replace("< ", "<").replace(" >", ">")
    return f"{head}{type_shown} {text('name')}{text('argsstring')}{shown}".strip()


def declaration_in_c(member):
    """Returns a declaration of a header of C."""
    text = declaration_of(member).replace("enum class", "enum", 1)
    return re.sub(r"^using (\w+) = (.*)", r"typedef \2 \1", text)


def docstring_of_block(lines, number):
    """Returns the docstring above the block of declarations that line `number` belongs to: it stands for
    all of them. Only the bodies of a block have empty lines."""
    end = number - 1
    while end > 0 and not lines[end - 1].startswith("///"):
        is_in_body = lines[end - 2].startswith(" ")
        if not lines[end - 1].strip() and not is_in_body:
            break
        end -= 1
    start = end
    while start > 0 and lines[start - 1].startswith("///"):
        start -= 1
    return " ".join(line[3:].strip() for line in lines[start:end])


class Reference:
    """All families and names of the headers of the folder `include`, by Doxygen's XML."""

    def __init__(self, folder, include):
        self.folder = pathlib.Path(folder)
        self.include = pathlib.Path(include)
        self.families = {}
        index = ElementTree.parse(self.folder / "index.xml").getroot()
        for compound in index.findall("compound"):
            if compound.get("kind") == "file":
                self.read_file(compound.get("refid"))
        for compound in index.findall("compound"):
            kind, name = compound.get("kind"), compound.findtext("name")
            if kind == "namespace" and name.startswith("tessera") and name not in INNER:
                self.read_namespace(compound.get("refid"), name)
            elif kind in ("class", "struct", "concept"):
                self.read_class(compound.get("refid"), kind, name)
        self.families = {path: family for path, family in sorted(self.families.items())
                         if family.names}
        self.names = [name for family in self.families.values() for name in family.names]
        self.complete()

    def complete(self):
        """Gives sentences to names without one: of their block of declarations, or of the family that
        has the function for arrays without names."""
        first = {}
        for name in self.names:
            if name.sentence:
                first.setdefault(name.name, name)
        for name in self.names:
            if name.sentence:
                continue
            lines = (self.include / name.family).read_text().split("\n")
            text = docstring_of_block(lines, name.overloads[0].line)
            if not text and name.name in first:
                text = f"As `{name.name}` of {first[name.name].family}."
            if not text and name.kind == "typedef":
                text = f"Another name of `{name.overloads[0].declaration.partition(' = ')[2]}`."
            if text:
                name.overloads[0].paragraphs.append(text)

    def compound(self, refid):
        return ElementTree.parse(self.folder / f"{refid}.xml").getroot().find("compounddef")

    def read_file(self, refid):
        """Reads the essay of a header."""
        root = self.compound(refid)
        path = root.find("location").get("file").removeprefix("include/tessera/")
        paragraphs = paragraphs_of(root)
        self.families[path] = Family(path, paragraphs[0] if paragraphs else path, paragraphs[1:], [])
        if path.endswith(".h"):  # of C: its names are in no namespace
            for member in root.iter("memberdef"):
                declaration = declaration_in_c(member)
                if not re.match("typedef (enum|struct) ", declaration):
                    self.add(member, member.findtext("name"), member.get("kind"), declaration)

    def add(self, node, name, kind, declaration):
        path = node.find("location").get("file").removeprefix("include/tessera/")
        if "/detail/" in path:  # detail/<family>_functions.hpp has the options of a family's functions
            if kind not in ("enum", "struct"):
                return
            path = re.sub(r"/detail/(\w+?)(_functions)?\.hpp", r"/\1.hpp", path)
        family = self.families.get(path)
        if family is None or "<" in name or not re.match(r"[a-z_]", name.split("::")[-1]):
            return
        line = int(node.find("location").get("line"))
        overload = Overload(declaration, paragraphs_of(node), line)
        entry = next((entry for entry in family.names if entry.name == name), None)
        if entry is None:
            family.names.append(Name(name, kind, path, [overload]))
        else:
            entry.overloads.append(overload)

    def read_namespace(self, refid, namespace):
        """Reads the functions, constants and types of a namespace."""
        prefix = namespace.removeprefix("tessera").removeprefix("::")
        for member in self.compound(refid).iter("memberdef"):
            name = member.findtext("name")
            if name.startswith("operator") or name.startswith("@"):
                continue
            full = f"{prefix}::{name}" if prefix else name
            self.add(member, full, member.get("kind"), declaration_of(member))

    def read_class(self, refid, kind, name):
        """Reads a class, with its public members as overloads of it."""
        if "<" in name or any(name.startswith(f"{inner}::") for inner in INNER):
            return
        if not re.match(r"tessera(::|_)", name) or "detail" in name:
            return
        root = self.compound(refid)
        short = name.removeprefix("tessera::")
        word = {"concept": "concept", "class": "class", "struct": "struct"}[kind]
        self.add(root, short, kind, f"{word} {short}")
        for member in root.iter("memberdef"):
            is_shown = member.get("prot") == "public" and member.get("kind") != "friend"
            if is_shown and not member.findtext("name").startswith("~"):
                self.add(root if member.find("location") is None else member, short, kind,
                         declaration_of(member))
