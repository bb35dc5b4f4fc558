# SPDX-License-Identifier: Apache-2.0
"""Checks pages of HTML: each link leads to a file and an anchor that are there.

usage: check.py <folder of pages>
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links = []
        self.anchors = set()
        self.doubled = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "id" in values:
            if values["id"] in self.anchors:
                self.doubled.append(values["id"])
            self.anchors.add(values["id"])
        for attribute in ("href", "src"):
            if attribute in values:
                self.links.append(values[attribute])


def problems(folder):
    """Returns one line for each link that leads nowhere, and each anchor that stands twice."""
    folder = pathlib.Path(folder)
    pages = {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        shown = path.relative_to(folder)
        found += [f"{shown}: the anchor #{anchor} stands twice" for anchor in page.doubled]
        for link in page.links:
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path
            if not target.is_file():
                found.append(f"{shown}: {link}: there is no such file")
            elif address.fragment and target in pages and address.fragment not in pages[target].anchors:
                found.append(f"{shown}: {link}: there is no such anchor")
    return found


if __name__ == "__main__":
    lines = problems(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(lines) or "all links lead somewhere")
    sys.exit(1 if lines else 0)
