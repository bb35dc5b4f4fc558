# SPDX-License-Identifier: Apache-2.0
"""Runs zarr_exchange, the program by which Tessera reads and writes for these tests."""

import pathlib
import subprocess


def exchange(program, mode, rows, directory):
    """Runs one mode over rows of paths; returns the answers, by array."""
    listing = pathlib.Path(directory) / f"{mode}.list"
    listing.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    done = subprocess.run([program, mode, listing], capture_output=True, text=True)
    if done.returncode not in (0, 1) or done.stderr:
        raise SystemExit(f"zarr_exchange {mode} ended with {done.returncode}: {done.stderr}")
    answers = {}
    for line in done.stdout.splitlines():
        for row in rows:
            if line.startswith(f"{row[0]}: "):
                answers[str(row[0])] = line[len(str(row[0])) + 2:]
    if (done.returncode == 1) != bool(answers):
        raise SystemExit(f"zarr_exchange {mode} ended with {done.returncode}: {done.stdout}")
    return answers
