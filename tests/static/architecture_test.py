# SPDX-License-Identifier: Apache-2.0
"""Plants errors in a page and expects architecture.py to find them."""

import pathlib
import tempfile
import unittest

import architecture

ROOMS = """
## Rooms and arrows

```mermaid
flowchart TD
  subgraph library
    kernel --> core
    plan --> core & kernel
  end
  array --> library
```

## Next
"""
LAYERS = {"core": set(), "kernel": {"core"}, "plan": {"core", "kernel"},
          "array": {"core", "kernel", "plan"}}

PLAN = """
## The life of a plan

```mermaid
flowchart TD
    p01["share: common subexpressions"]
    p02["crop: regions"]
    p03["share: again"]
    p01 --> p02 --> p03
```
"""
TABLE = """
inline constexpr named_pass share_again{"share", &pass_switches::share,
                                        share};
inline constexpr std::array all_passes{
    named_pass{"share", &pass_switches::share, share},
    named_pass{"crop", nullptr, crop},
    share_again,
};
"""

README = """
[how it is built](.github/ARCHITECTURE.md)

## The tree

| `lib/core`, `.../kernel` | values |

## Next

`plan`
"""


class Rooms(unittest.TestCase):
    def test_the_diagram_may_be_the_table(self):
        self.assertEqual(architecture.room_problems(ROOMS, LAYERS), [])

    def test_an_arrow_that_the_table_lacks_is_found(self):
        page = ROOMS.replace("kernel --> core\n", "kernel --> core & store\n")
        found = architecture.room_problems(page, LAYERS | {"array": LAYERS["array"] | {"store"}})
        self.assertEqual(len(found), 1, found)
        self.assertIn("kernel --> store: not in the table", found[0])

    def test_an_arrow_that_the_diagram_lacks_is_found(self):
        page = ROOMS.replace("core & kernel", "core")
        found = architecture.room_problems(page, LAYERS)
        self.assertEqual(len(found), 1, found)
        self.assertIn("plan --> kernel: missing", found[0])

    def test_a_page_without_the_diagram_is_found(self):
        self.assertEqual(len(architecture.room_problems("", LAYERS)), 6)

    def test_arrows_that_run_back_are_found(self):
        self.assertEqual(architecture.cycle_problems(LAYERS), [])
        found = architecture.cycle_problems(LAYERS | {"core": {"plan"}})
        self.assertEqual(len(found), 1)
        self.assertIn("array, core, kernel, plan", found[0])


class Passes(unittest.TestCase):
    def test_the_table_is_read_with_its_constants(self):
        self.assertEqual(architecture.table_of_passes(TABLE), ["share", "crop", "share"])

    def test_the_diagram_may_be_the_table(self):
        self.assertEqual(architecture.pass_problems(PLAN, ["share", "crop", "share"]), [])

    def test_another_order_is_found(self):
        found = architecture.pass_problems(PLAN, ["crop", "share", "share"])
        self.assertEqual(len(found), 1)
        self.assertIn("the passes are crop, share, share; the diagram shows share, crop, share",
                      found[0])

    def test_a_pass_that_the_diagram_lacks_is_found(self):
        self.assertEqual(len(architecture.pass_problems(PLAN, ["share", "crop"])), 1)

    def test_a_missing_table_is_found(self):
        self.assertIn("no table", architecture.pass_problems(PLAN, [])[0])
        self.assertEqual(architecture.table_of_passes("void share();"), [])


class Tasks(unittest.TestCase):
    PAGE = """
## The life of a task

```mermaid
flowchart TD
  ready["a batch"]
  subgraph task ["a block"]
    ready --> run["a primitive"] --> done["readers may run"]
  end
```

| box | in the code | box | in the code |
| --- | --- | --- | --- |
| ready | `ready_queue` | run | `primitive`, `task_blocks` |
| task | `block_task` | done | `completion` |
"""

    def test_each_box_may_have_a_row(self):
        self.assertEqual(architecture.task_problems(self.PAGE), [])

    def test_a_box_without_a_row_is_found(self):
        found = architecture.task_problems(self.PAGE.replace('run["', 'runs["'))
        self.assertEqual(len(found), 2, found)
        self.assertIn("runs: no row", found[0])
        self.assertIn("run: the diagram has no such box", found[1])

    def test_a_row_without_code_is_found(self):
        found = architecture.task_problems(self.PAGE.replace("`completion`", "readers"))
        self.assertEqual(len(found), 2, found)


class Names(unittest.TestCase):
    def paths_missing(self, text):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / "lib/plan").mkdir(parents=True)
            (root / "lib/plan/graph.hpp").write_text("")
            return architecture.path_problems(root, "page", text)

    def test_files_and_folders_that_exist_are_good(self):
        self.assertEqual(self.paths_missing("`lib/plan` `plan/graph.hpp` `plan/<name>.cpp`"), [])

    def test_files_and_folders_that_do_not_exist_are_found(self):
        self.assertEqual(self.paths_missing("`lib/task`\n`plan/gone.hpp` `lib/pla/<name>.cpp`"),
                         ["page: lib/pla/<name>.cpp: does not exist",
                          "page: lib/task: does not exist",
                          "page: plan/gone.hpp: does not exist"])

    def test_a_file_without_its_folder_is_found(self):
        self.assertEqual(len(self.paths_missing("`graph.hpp`")), 1)

    def identifiers_missing(self, text):
        return architecture.identifier_problems("page", text, {"walk", "block", "identity"})

    def test_identifiers_of_the_code_are_good(self):
        self.assertEqual(self.identifiers_missing("| `walk`, `walk::block` | `identity()` |"), [])

    def test_identifiers_that_the_code_lacks_are_found(self):
        self.assertEqual(len(self.identifiers_missing("`gone`")), 1)
        self.assertEqual(len(self.identifiers_missing("`walk::gone`")), 1)
        self.assertEqual(len(self.identifiers_missing("`gone()`")), 1)

    def test_code_blocks_and_other_texts_are_left_out(self):
        self.assertEqual(self.identifiers_missing("```\n`gone`\n```\n`a + b`"), [])

    def test_words_of_comments_are_no_identifiers(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / "lib").mkdir()
            (root / "lib/a.cpp").write_text("int walk;  // once called amble\n")
            words = architecture.words_of(root)
        self.assertIn("walk", words)
        self.assertNotIn("amble", words)


class Readme(unittest.TestCase):
    def test_a_tree_that_names_all_rooms_is_good(self):
        self.assertEqual(architecture.readme_problems(README, {"core", "kernel"}), [])

    def test_a_room_that_the_tree_lacks_is_found(self):
        found = architecture.readme_problems(README, {"core", "plan"})
        self.assertEqual(found, ["README.md: its tree does not name plan/"])

    def test_a_missing_link_is_found(self):
        readme = README.replace(".github/ARCHITECTURE.md", "elsewhere")
        self.assertIn("does not link", architecture.readme_problems(readme, {"core"})[0])


if __name__ == "__main__":
    unittest.main()
