# SPDX-License-Identifier: Apache-2.0
"""Compares the manual pages and the completions of the program tessera with what --help prints, in
the shells that complete.

usage: manual_test.py <tessera>
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None


def output_of(*arguments, **options):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C.UTF-8"}, **options)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{arguments}: {done.returncode}\n{done.stderr}")
    return done.stdout


def help_of(*command):
    return output_of(PROGRAM, *command, "--help")


def options_in(text):
    """Returns the options that a text in the form of --help describes."""
    return set(re.findall(r"(?m)^  (?:-\w,)?(--(?!tessera-)[a-z-]+)", text))


def commands_in(text):
    return re.findall(r"(?m)^  ([a-z]+) ", text.split("Subcommands:")[1].split("\n\n")[0])


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.folder = pathlib.Path(directory.name)
        output_of(PROGRAM, "manual", str(cls.folder))
        cls.commands = commands_in(help_of())
        cls.options = {command: options_in(help_of(command)) for command in cls.commands}

    def page(self, name):
        """Returns a manual page as it is shown."""
        roff = self.folder / "man1" / f"{name}.1"
        return output_of("groff", "-man", "-Tutf8", "-P-cbou", "-rLL=200n", "-ww", str(roff)).replace(
            "−", "-").replace("‐", "-")

    def test_has_a_page_for_each_command(self):
        names = {path.name for path in (self.folder / "man1").iterdir()}
        self.assertEqual(names, {"tessera.1"} | {f"tessera-{name}.1" for name in self.commands})
        self.assertGreaterEqual(set(self.commands), {
            "inspect", "verify", "copy", "rechunk", "diff", "stats", "plan", "runs", "watch",
            "report", "study"})

    def test_pages_tell_what_help_tells(self):
        for command in self.commands:
            page = self.page(f"tessera-{command}")
            shown = " ".join(page.split())
            self.assertEqual(set(re.findall(r"(?m)^ +(--[a-z-]+)", page.split("OPTIONS\n")[1].split(
                "\nEXAMPLES")[0])), self.options[command], command)
            help_text = help_of(command)
            description = " ".join(help_text.split("\nUsage:")[0].split())
            self.assertIn(description, shown, command)
            for section in ("Examples:", "Exit codes:"):
                text = help_text.split(f"{section}\n")[1].split("\n\n")[0].split("Exit codes:")[0]
                for line in filter(None, text.splitlines()):
                    self.assertIn(" ".join(line.split()), shown, command)
                self.assertIn(section[:-1].upper(), page)

    def test_page_of_the_program_lists_commands_and_options(self):
        page = self.page("tessera")
        for command in self.commands:
            self.assertRegex(page, rf"(?m)^ +{command}( |$)")
        self.assertIn("--tessera-memory", page)

    def complete_in_bash(self, *words):
        script = (f"source {self.folder}/bash/tessera; COMP_WORDS=({' '.join(words)} ''); "
                  "[[ ${COMP_WORDS[-2]} == -* && $1 == same ]] && unset 'COMP_WORDS[-1]'; "
                  "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tessera; printf '%s\\n' \"${COMPREPLY[@]}\"")
        return script

    def bash(self, *words, same_word):
        return set(output_of("bash", "-c", self.complete_in_bash(*words), "bash",
                             "same" if same_word else "next", cwd=self.folder).split())

    def test_bash_completes_commands_options_and_choices(self):
        self.assertLessEqual(set(self.commands), self.bash("tessera", same_word=False))
        for command in self.commands:
            self.assertEqual(self.bash("tessera", command, "--", same_word=True),
                             self.options[command], command)
        self.assertEqual(self.bash("tessera", "copy", "--format", same_word=False), {"2", "3"})
        self.assertEqual(self.bash("tessera", "copy", "a", same_word=False),
                         {path.name for path in self.folder.iterdir()})

    def test_zsh_is_given_commands_options_and_choices(self):
        # Functions of zsh's completion that print what they are given.
        stubs = ("_arguments() { print -rl -- $@ }; _describe() { print -rl -- $commands }; "
                 "CURRENT=$(( $#words ));")
        def given(*words):
            script = (f"words=({' '.join(words)} ''); {stubs} "
                      f"source {self.folder}/zsh/_tessera")
            return output_of("zsh", "-f", "-c", script)
        self.assertEqual([line.split(":")[0] for line in given("tessera").splitlines()
                          if ":" in line and not line.startswith("-")], self.commands)
        for command in self.commands:
            found = set(re.findall(r"(?m)^\*?(--[a-z-]+)", given("tessera", command)))
            self.assertEqual(found, self.options[command], command)
        self.assertIn("(fill error)", given("tessera", "copy").replace("error fill", "fill error"))

    def test_fish_completes_commands_options_and_choices(self):
        def completed(line):
            script = f"source {self.folder}/fish/tessera.fish; complete -C '{line}'"
            text = output_of("fish", "--no-config", "-c", script, cwd=self.folder)
            return {entry.split("\t")[0] for entry in text.splitlines()}
        self.assertLessEqual(set(self.commands), completed("tessera "))
        for command in self.commands:
            self.assertEqual(completed(f"tessera {command} --"), self.options[command], command)
        self.assertEqual(completed("tessera copy --format "), {"2", "3"})


class HelpOfCommands(unittest.TestCase):
    def test_has_examples_and_exit_codes(self):
        for command in commands_in(help_of()):
            text = help_of(command)
            self.assertRegex(text, rf"Examples:\n  tessera {command}\b", command)
            codes = re.findall(r"(?m)^  (\d+) ", text.split("Exit codes:")[1])
            self.assertEqual(codes, ["0", "1", "2", "130"], command)

    def test_examples_are_calls_that_the_program_understands(self):
        for command in commands_in(help_of()):
            examples = help_of(command).split("Examples:\n")[1].split("\nExit codes:")[0]
            known = options_in(help_of(command))
            for option in re.findall(r" (--(?!tessera-)[a-z-]+)", examples):
                self.assertIn(option, known, command)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
