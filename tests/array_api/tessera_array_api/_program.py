# SPDX-License-Identifier: Apache-2.0
"""The compiled program that computes: `$TESSERA_ARRAY_API_SERVE`, called through a pipe."""

import atexit
import os
import subprocess
import tempfile

from ._dtypes import BY_NAME

ERRORS = {"dtype": TypeError, "shape": ValueError, "value": ValueError, "other": ValueError,
          "missing": NotImplementedError}


class Program:
    """The running program."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tessera-array-api-")
        self.process = subprocess.Popen(
            [os.environ["TESSERA_ARRAY_API_SERVE"], self.folder.name], cwd=self.folder.name,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self.stop)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()

    def call(self, name, *arguments):
        """Calls a function; returns its results, each (dtype, shape, bytes)."""
        sent = [f"{name} {len(arguments)}\n".encode()]
        for argument in arguments:
            sent.append(_line(argument))
        self.process.stdin.write(b"".join(sent))
        self.process.stdin.flush()
        status, rest = self._read_line().split(" ", 1)
        if status == "error":
            kind, message = rest.split(" ", 1)
            raise ERRORS[kind](f"{name}: {message}")
        return [self._read_array() for _ in range(int(rest))]

    def _read_line(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the program ended: {self.process.wait()}")
        return line.decode().rstrip("\n")

    def _read_array(self):
        _, name, *extents = self._read_line().split(" ")
        shape = tuple(int(extent) for extent in (extents[0] if extents else "").split(",") if extent)
        count = 1
        for extent in shape:
            count *= extent
        dtype = BY_NAME[name]
        return dtype, shape, self.process.stdout.read(count * dtype.itemsize)


def _line(argument):
    if argument is None:
        return b"n\n"
    if isinstance(argument, str):
        return f"s {argument}\n".encode()
    if isinstance(argument, int):
        return f"i {int(argument)}\n".encode()
    if isinstance(argument, (tuple, list)):
        return ("i " + ",".join(str(int(number)) for number in argument) + "\n").encode()
    extents = ",".join(map(str, argument.shape))
    return f"a {argument.dtype.name} {extents}\n".encode() + argument._data


program = Program()
