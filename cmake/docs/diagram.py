# SPDX-License-Identifier: Apache-2.0
"""Draws the flowcharts of Markdown pages, which GitHub draws by Mermaid, by Graphviz."""

import re
import shutil
import subprocess

NODE = re.compile(r'(\w+) ?(?:\["([^"]*)"\])?$')
EDGE = re.compile(r'\s+(?:-->|-\. "([^"]*)" \.->)\s+')
GROUP = re.compile(r'subgraph (\w+)(?: \["([^"]*)"\])?$')
STYLE = """digraph {
compound = true; bgcolor = transparent; nodesep = 0.15; ranksep = 0.3; color = gray;
node [shape = box, style = rounded, fontname = "sans-serif", fontsize = 11, height = 0.3, color = gray];
edge [fontname = "sans-serif", fontsize = 10, color = gray, arrowsize = 0.6];
fontname = "sans-serif"; fontsize = 11;
"""


def quoted(text, width=34):
    """Returns a text for DOT, in lines of about `width` characters."""
    return '"' + re.sub(rf"(.{{{width},}}?) ", r"\1\\n", text) + '"'


class Flowchart:
    """A flowchart as DOT. An edge to a group ends at its border."""

    def __init__(self, text):
        self.lines = [STYLE]
        self.groups = {}
        self.open_groups = []
        self.edges = []
        chains = []
        for line in map(str.strip, text.split("\n")[1:]):
            group = GROUP.match(line)
            if group:
                self.begin_group(*group.groups())
            elif line == "end":
                self.open_groups.pop()
                self.lines.append("}")
            elif EDGE.search(line):
                chains.append(line)
                self.name_ends(line)
            elif line:
                self.add_node(*NODE.match(line).groups())
        for line in chains:
            self.add_edges(line)
        if "[" not in text:  # an order of names
            self.lines.append('label = "arrows that follow from others are left out"; labelloc = b;')
            self.edges = [edge for edge in self.edges if not self.follows(edge)]
        for source, target, label in self.edges:
            self.draw_edge(source, target, label)

    def begin_group(self, name, label):
        self.groups[name] = []
        self.open_groups.append(name)
        self.lines.append(f"subgraph cluster_{name} {{ label = {quoted(label or name)};")

    def add_node(self, name, label):
        """Adds a node to the groups that are open."""
        for group in self.open_groups:
            self.groups[group].append(name)
        self.lines.append(f"{name} [label = {quoted(label or name)}];" if label else f"{name};")

    def name_ends(self, line):
        """Puts the nodes of an edge that stands in a group there, unless they have been named."""
        for name in re.findall(r"\w+", re.sub(r'"[^"]*"|-->', " ", line)):
            is_new = name not in self.groups and all(name not in nodes for nodes in self.groups.values())
            if self.open_groups and is_new:
                self.add_node(name, None)

    def add_edges(self, line):
        """Adds the edges of a chain: a --> b & c --> d["label"]."""
        parts = EDGE.split(line)
        ends = [re.split(r" & ", part) for part in parts[::2]]
        for sources, label, targets in zip(ends, parts[1::2], ends[1:]):
            for source in sources:
                for target in targets:
                    name, text = NODE.match(target).groups()
                    if text:
                        self.lines.append(f"{name} [label = {quoted(text)}];")
                    self.edges.append((source, name, label))

    def follows(self, edge):
        """Tells whether other edges lead from the source of an edge to its target."""
        source, target, _ = edge
        ahead = [b for a, b, _ in self.edges if a == source and b != target]
        reached = set()
        while ahead:
            node = ahead.pop()
            if node not in reached:
                reached.add(node)
                ahead += [b for a, b, _ in self.edges if a == node] + self.groups.get(node, [])
        return target in reached

    def draw_edge(self, source, name, label):
        options = [f"label = {quoted(label, 20)}, style = dashed, constraint = false"] if label else []
        if name in self.groups:
            options.append(f"lhead = cluster_{name}")
            name = self.groups[name][0]
        self.lines.append(f"{source} -> {name} [{', '.join(options)}];")

    @property
    def dot(self):
        return "\n".join([*self.lines, "}"])


def drawn(text):
    """Returns a flowchart as SVG, or None without Graphviz."""
    if not shutil.which("dot"):
        return None
    done = subprocess.run(["dot", "-Tsvg"], input=Flowchart(text).dot, capture_output=True, text=True, check=True)
    svg = done.stdout[done.stdout.index("<svg"):]
    # Names of elements would stand in a page twice.
    return re.sub(r'<!--.*?-->\n?|<title>.*?</title>\n?| id="\w+"', "", svg, flags=re.DOTALL)
