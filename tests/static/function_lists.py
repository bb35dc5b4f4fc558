# SPDX-License-Identifier: Apache-2.0
"""Checks that each function's tag is in its family's list, and each list in the families: what is
not listed is not compared with NumPy. Tags that are templates are in no list.

usage: function_lists.py <directory of function/>
"""

import pathlib
import re
import sys

TAG = re.compile(r"^(template <.*>\n)?struct (\w+) \{\n\s+static constexpr std::string_view name\b",
                 re.MULTILINE)
LIST = re.compile(r"using (\w+) =\s+boost::hana::tuple<([^;]*)>;")


def problems(directory):
    """Returns one line for each tag and each list that is not listed."""
    texts = {path.name: path.read_text() for path in sorted(pathlib.Path(directory).glob("*.hpp"))}
    lists = {name: (file, members) for file, text in texts.items()
             for name, members in LIST.findall(text)}
    listed = set(re.findall(r"\w+", " ".join(members for _, members in lists.values())))
    found = [f"{file}: op::{tag} is in no list" for file, text in texts.items()
             for template, tag in TAG.findall(text) if not template and tag not in listed]
    found += [f"{file}: {name} is not among the families" for name, (file, _) in lists.items()
              if not name.endswith("_families") and name not in listed]
    return found if lists else ["there is no list"]


if __name__ == "__main__":
    lines = problems(sys.argv[1])
    print("\n".join(lines) or "every function is listed")
    sys.exit(1 if lines else 0)
