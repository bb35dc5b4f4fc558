# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation: pages of HTML that need no server.

usage: build.py <source directory> <folder of Doxygen's XML> <output folder>

Fails, with one line for each, if a link or an anchor is missing, a public name has no sentence, or a
page names a function that is not there.
"""

import pathlib
import shutil
import sys

import check
import site_pages
from reference import Reference


def main(root, xml, out):
    root, out = pathlib.Path(root), pathlib.Path(out)
    if out.exists() and any(out.iterdir()) and not (out / "search.js").is_file():
        sys.exit(f"{out}: is not empty, and holds no documentation; it is left as it is")
    if out.exists():
        shutil.rmtree(out)
    site = site_pages.Site(root, Reference(xml, root / "include/tessera"))
    site.write(out)
    problems = check.problems(out) + site.problems()
    print("\n".join(problems) or f"{out}: {len(site.pages)} pages, {len(site.reference.names)} names")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
