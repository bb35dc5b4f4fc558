# SPDX-License-Identifier: Apache-2.0
"""Converts the Markdown of this repository to HTML: headings, paragraphs, lists, tables, code, links,
emphasis."""

import html
import re

INLINE = re.compile(r"(`[^`]+`)|\[([^\]]+)\]\(([^)]+)\)|\*\*([^*]+)\*\*|(?<!\w)\*([^*\s][^*]*)\*(?!\w)")


def anchor_of(heading):
    """Returns the anchor that GitHub gives a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


class Converter:
    """Converts pages. `link_code` returns the address of a name in code, or None; `link` changes the
    address of a link."""

    def __init__(self, link_code=lambda name: None, link=lambda address: address):
        self.link_code = link_code
        self.link = link

    def inline(self, text):
        """Converts text within a line."""
        parts = []
        end = 0
        for match in INLINE.finditer(text):
            parts.append(html.escape(text[end:match.start()], quote=False))
            code, label, address, strong, emphasis = match.groups()
            if code:
                parts.append(self.code(code[1:-1]))
            elif label:
                parts.append(f'<a href="{html.escape(self.link(address))}">{self.inline(label)}</a>')
            elif strong:
                parts.append(f"<strong>{self.inline(strong)}</strong>")
            else:
                parts.append(f"<em>{self.inline(emphasis)}</em>")
            end = match.end()
        parts.append(html.escape(text[end:], quote=False))
        return "".join(parts)

    def code(self, text):
        """Converts code within a line; the name of a function links to its page."""
        shown = f"<code>{html.escape(text, quote=False)}</code>"
        is_call_in_shell = re.match(r"[a-z]+ \[?[A-Z]", text)
        name = None if is_call_in_shell else re.match(r"(?:ts::|tessera::)?(~?[A-Za-z_][\w:]*)", text)
        address = self.link_code(name[1]) if name else None
        return f'<a href="{address}">{shown}</a>' if address else shown

    def page(self, text):
        """Converts a page; returns its HTML."""
        blocks = []
        lines = text.split("\n")
        position = 0
        while position < len(lines):
            position = self.block(lines, position, blocks)
        return "\n".join(blocks)

    def block(self, lines, start, blocks):
        """Converts the block that begins at line `start`; returns the line behind it."""
        line = lines[start]
        if not line.strip() or line.startswith("<!--"):
            return start + 1
        if line.startswith("```"):
            return self.fence(lines, start, blocks)
        if line.startswith("    "):
            return self.indented(lines, start, blocks)
        heading = re.match(r"(#{1,4}) (.*)", line)
        if heading:
            level = len(heading[1])
            blocks.append(f'<h{level} id="{anchor_of(heading[2])}">{self.inline(heading[2])}</h{level}>')
            return start + 1
        if line.startswith("|"):
            return self.table(lines, start, blocks)
        if re.match(r"\s*([-*]|\d+\.) ", line):
            return self.items(lines, start, blocks)
        end = start
        while end < len(lines) and lines[end].strip() and not re.match(r"```|#{1,4} |\||[-*] ", lines[end]):
            end += 1
        end = max(end, start + 1)
        blocks.append(f"<p>{self.inline(' '.join(lines[start:end]))}</p>")
        return end

    def fence(self, lines, start, blocks):
        """Converts code between fences."""
        end = start + 1
        while end < len(lines) and not lines[end].startswith("```"):
            end += 1
        language = lines[start][3:].strip() or "text"
        code = html.escape("\n".join(lines[start + 1:end]), quote=False)
        blocks.append(f'<pre class="{language}"><code>{code}</code></pre>')
        return end + 1

    def indented(self, lines, start, blocks):
        """Converts code that is indented by four spaces."""
        end = start
        while end < len(lines) and lines[end].startswith("    "):
            end += 1
        code = html.escape("\n".join(line[4:] for line in lines[start:end]), quote=False)
        blocks.append(f'<pre class="text"><code>{code}</code></pre>')
        return end

    def table(self, lines, start, blocks):
        """Converts a table; the second line separates the head."""
        end = start
        rows = []
        while end < len(lines) and lines[end].startswith("|"):
            cells = re.split(r"(?<!\\)\|", lines[end].strip().strip("|"))
            rows.append([self.inline(cell.strip().replace("\\|", "|")) for cell in cells])
            end += 1
        head = "".join(f"<th>{cell}</th>" for cell in rows[0])
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
                       for row in rows[2:])
        blocks.append(f'<div class="table"><table><tr>{head}</tr>{body}</table></div>')
        return end

    def items(self, lines, start, blocks):
        """Converts a list, and the lists in it."""
        end = start
        while end < len(lines) and (re.match(r"\s*([-*]|\d+\.) ", lines[end]) or
                                    (lines[end].startswith(" ") and lines[end].strip())):
            end += 1
        item = re.compile(r"(\s*)([-*]|\d+\.) (.*)")
        indent = len(item.match(lines[start])[1])
        kind = "ol" if item.match(lines[start])[2][0].isdigit() else "ul"
        entries = []
        for line in lines[start:end]:
            match = item.match(line)
            if match and len(match[1]) <= indent:
                entries.append([match[3]])
            else:
                entries[-1].append(line)
        shown = []
        for entry in entries:
            inner = next((i for i, line in enumerate(entry[1:], 1) if item.match(line)), len(entry))
            text = self.inline(" ".join(line.strip() for line in entry[:inner]))
            below = self.page("\n".join(entry[inner:])) if inner < len(entry) else ""
            shown.append(f"<li>{text}{below}</li>")
        blocks.append(f"<{kind}>{''.join(shown)}</{kind}>")
        return end
