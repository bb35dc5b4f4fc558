# SPDX-License-Identifier: Apache-2.0
"""Checks that each folder includes only what the layers of the design allow, and that headers under
lib/ are private to their folder. Headers of lib/<folder>/api/ are for the folders above it. A header
in include/ is for users: a public header includes it, or it is one of PUBLIC.

usage: layers.py <source directory>
"""

import pathlib
import re
import sys

# Which folders of include/tessera and lib a folder may include, besides itself.
LAYERS = {
    "core": set(),
    "json": {"core", "kernel"},
    "meta": {"core"},
    "kernel": {"core", "meta"},
    "codec": {"core", "json"},
    "store": {"core", "json"},
    "testing": {"core", "store", "scheduler", "executor", "function", "array"},
    "storage": {"core", "codec"},
    "zarr": {"core", "json", "codec", "storage", "store"},
    "primitive": {"core", "json", "kernel"},
    "plan": {"core", "json", "kernel", "primitive"},
    "scheduler": {"core"},
    "executor": {"core", "store", "scheduler"},
    "task": {"core", "json", "kernel", "store", "primitive", "plan", "scheduler", "executor"},
    "observe": {"core", "json", "plan", "scheduler", "executor", "task"},
    "runtime": {"core", "scheduler", "executor", "task", "observe"},
    "expr": {"core", "meta"},
    "function": {"core", "meta", "kernel", "expr"},
    # Of functions, lowering knows the conversion that promotion puts in.
    "lower": {"core", "meta", "kernel", "primitive", "plan", "expr", "function"},
}
# No arrow runs back, as architecture.py checks.
LAYERS["array"] = set(LAYERS) - {"testing"}
LAYERS["labelled"] = set(LAYERS) - {"testing"}
LAYERS["root"] = set(LAYERS) - {"testing"}  # tessera.hpp, fwd.hpp, version.hpp
LAYERS["tool"] = set(LAYERS) - {"testing"}
LAYERS["c"] = {"core", "storage", "zarr", "expr", "executor", "task", "array"}
LAYERS["benchmark"] = {"core", "zarr", "plan", "scheduler", "executor", "task", "observe", "array"}

# Folders of lib that others include and that have nothing in include/tessera.
LIB_ALONE = {"json"}

# Which third party may be included where: the beginning of its headers' names, and the places,
# each `<tree>/<folder>` with `*` for any, or `<tree>/<folder>/<folder in it>`.
THIRD_PARTIES = {
    "boost/hana": ["*/meta", "*/expr", "*/function", "*/lower", "lib/tool"],
    "boost/container/": ["lib/core"],
    "boost/core/demangle": ["lib/primitive"],
    "boost/graph/": ["lib/plan"],
    "boost/property_map/": ["lib/plan"],
    "Eigen/": ["*/kernel", "lib/observe"],
    "benchmark/benchmark.h": ["lib/benchmark"],
    "unsupported/Eigen/": ["*/kernel"],
    "Random123/": ["*/kernel"],
    "cblas.h": ["lib/kernel"],
    "blosc.h": ["lib/codec"],
    "zlib.h": ["lib/codec", "lib/observe"],
    "bzlib.h": ["lib/codec"],
    "zstd.h": ["lib/codec"],
    "lz4.h": ["lib/codec"],
    "lzma.h": ["lib/codec"],
    "xxhash.h": ["lib/core"],
    "tbb/": ["lib/executor"],
    "oneapi/": ["lib/executor"],
    "curl/": ["lib/store/http"],
    "openssl/": ["lib/store/s3"],
    "pugixml.hpp": ["lib/store/s3"],
    "mpi.h": ["*/executor", "*/array"],
    "gtest/": ["include/testing"],
    "nlohmann/": ["lib/json", "lib/codec", "lib/zarr", "lib/primitive", "lib/plan", "lib/task", "lib/observe", "lib/benchmark",
                  "lib/store/reference", "lib/tool"],
    "fmt/": ["lib/*"],
    "CLI/": ["lib/tool"],
}

# What plans, schedulers and tasks know of storage is behind the ports of core: they name no format
# and no place. A plan's own file is at a path.
STORAGE_FREE = {"plan", "scheduler", "task"}
STORAGE = re.compile(r"zarr(?!_error\b)|std::filesystem|<filesystem>|\bpaths?\b", re.IGNORECASE)
PLAN_FILES = {"bounded_plan.hpp", "load.cpp", "picture.cpp", "plan_file.cpp", "plan_file.hpp",
              "program_identity.cpp", "save.cpp", "saved_plan.cpp", "saved_plan.hpp"}

# Functions of arrays speak of stored arrays (storage/), and name Zarr in a folder of that name alone.
FORMAT_FREE = {"array", "labelled"}
FORMAT_INCLUDE = re.compile(r"tessera/zarr/|zarr/")
# Of the program's files, the ones that list, describe and copy the nodes of a store know documents of
# formats. Commands call these files.
FORMAT_FILES_OF_TOOL = {"array_files", "array_nodes", "copy_source", "copy_target", "inspect", "listing_store", "node_tree",
                        "verbatim_copy"}

# The names of documents are known to the room of their format. Comments may name them.
FORMATS = {"v2": re.compile(r'"[^"]*\.z(array|attrs|group|metadata)\b'),
           "v3": re.compile(r'"[^"]*\bzarr\.json\b')}

# Untrusted JSON is parsed in one place, which bounds its depth.
PARSER = re.compile(r"\bjson::parse\(")

# Kernels call functions by what their tags say, and name none of them.
FUNCTION_FREE = {"core", "meta", "kernel", "primitive", "plan"}
FUNCTION = re.compile(r"\bop::(?!dtype_rule\b)[a-z]")
# What lowering may include of functions.
LOWERED_FUNCTIONS = {"tessera/function/conversion.hpp"}
# The planner sees the interface of primitives, and functions that build primitives of others.
PLANNED_PRIMITIVES = {"tessera/primitive/loop_schedule.hpp", "tessera/primitive/primitive.hpp",
                      "primitive/api/as_map.hpp", "primitive/api/build.hpp",
                      "primitive/api/described_stages.hpp"}

# Engines do not include each other, but for the one that others are built on. It names no system.
BASE_ENGINE = "array"
SYSTEM_NAME = re.compile(r"slurm|sbatch|squeue|scancel|grid.?engine|\bsge|qsub|\bpbs|\blsf|kubernetes|\bdask",
                         re.IGNORECASE)

# The headers that users include, besides tessera.hpp: files or folders of include/tessera. Writers of
# engines include scheduler/ and executor/, their tests testing/.
PUBLIC = ("tessera.hpp", "core.hpp", "fwd.hpp", "array/from_local.hpp", "array/time_series.hpp", "benchmark/", "c/", "kernel/eigen_tensor.hpp", "plan/node.hpp",
          "store/http.hpp", "store/s3.hpp", "storage/chunk_buffers.hpp", "executor/", "scheduler/", "testing/")

# The system's own C headers (POSIX, Linux): behind the compiled boundary only.
SYSTEM = re.compile(r"(sys/|linux/|arpa/|netinet/)?[a-z_0-9]+\.h")
STANDARD = re.compile(r"[a-z_0-9]+")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def problem_of_quoted(folder, engine, name):
    """Returns what is wrong with a header of the project, included in `folder`, or None."""
    parts = name.split("/")
    if folder == "plan" and "primitive" in parts[:2] and name not in PLANNED_PRIMITIVES:
        return "the planner names no primitive"
    if folder in FORMAT_FREE and engine != "zarr" and FORMAT_INCLUDE.match(name):
        return f"{folder}/ includes a format in {folder}/zarr/ alone"
    if name == "tessera/version.hpp":
        return None
    if parts[0] == "tessera":
        target = parts[1] if len(parts) > 2 else "root"
        if folder == "lower" and target == "function" and name not in LOWERED_FUNCTIONS:
            return "lowering knows no function but conversion"
        if target == folder or target in LAYERS[folder]:
            return None
        allowed = ", ".join(sorted(LAYERS[folder])) or "nothing"
        return f"{folder}/ may include {allowed}, but not {target}/"
    if len(parts) > 1 and parts[0] in LIB_ALONE:
        return None if parts[0] in LAYERS[folder] | {folder} else f"{parts[0]}/ is above {folder}/"
    if parts[1:2] == ["api"] and parts[0] in LAYERS[folder]:
        return None
    if len(parts) > 1 and parts[0] in LAYERS and parts[0] != folder:
        return f"a header under lib/{parts[0]}/ is private to it"
    if folder == "executor" and len(parts) > 2 and parts[1] not in (engine, BASE_ENGINE, "api"):
        return f"engines do not include each other, but {parts[1]}/ is one"
    return None


def problem_of(tree, folder, engine, bracket, name):
    """Returns what is wrong with an include in `<tree>/<folder>`, or None.

    `engine` is the folder in `folder` where the include stands, or None."""
    if bracket == '"':
        return problem_of_quoted(folder, engine, name)
    for beginning, places in THIRD_PARTIES.items():
        if name.startswith(beginning):
            if {f"{tree}/{folder}", f"*/{folder}", f"{tree}/*",
                    f"{tree}/{folder}/{engine}"} & set(places):
                return None
            return f"<{beginning}> belongs in {', '.join(places)}"
    if STANDARD.fullmatch(name):
        if name == "iostream" and tree == "include":
            return "public headers take <iosfwd>, because <iostream> has static constructors"
        return None
    if SYSTEM.fullmatch(name):
        return None if tree == "lib" else "system headers belong in lib/"
    return "this third party is not in the design"


def names_storage(folder, path, line):
    """Tells whether a line of code, in a folder that knows no storage, names some."""
    if folder not in STORAGE_FREE:
        return False
    found = {word.lower() for word in STORAGE.findall(line.split("//")[0])}
    if path.name in PLAN_FILES:
        found -= {"path", "paths"}
    return bool(found)


def names_format_of_tool(folder, path, name):
    """Tells whether a file of the program includes a header of a format that it may not know."""
    return folder == "tool" and path.stem not in FORMAT_FILES_OF_TOOL and bool(FORMAT_INCLUDE.match(name))


def names_system(folder, engine, line):
    """Tells whether a line, in the engine of any system with job arrays, names a system."""
    return (folder, engine) == ("executor", BASE_ENGINE) and bool(SYSTEM_NAME.search(line))


def names_function(folder, line):
    """Tells whether a line of code, in a folder that knows no function, names some."""
    return folder in FUNCTION_FREE and bool(FUNCTION.search(line.split("//")[0]))


def named_format(parts, line):
    """Returns the format of which a line of code names a document outside of its room, or None.

    `parts` are the names of the path below include/tessera or lib."""
    for room, names in FORMATS.items():
        if parts[:2] != ("zarr", room) and names.search(line.split("//")[0]):
            return room
    return None


def hidden_headers(source_directory):
    """Returns one line for each header in include/ that no public header includes."""
    base = pathlib.Path(source_directory) / "include/tessera"
    includes = {str(path.relative_to(base)): re.findall(r'#include "tessera/([^"]+)"', path.read_text())
                for path in base.rglob("*.hpp")}
    waiting = [header for header in includes if header.startswith(PUBLIC)]
    reached = set()
    while waiting:
        header = waiting.pop()
        if header not in reached:
            reached.add(header)
            waiting += includes.get(header, [])
    return [f"include/tessera/{header}:1: no public header includes it; "
            f"move it to lib/{header.split('/')[0]}/api"
            for header in sorted(set(includes) - reached)]


def problems(source_directory):
    """Returns one line for each include that breaks the layers."""
    source_directory = pathlib.Path(source_directory)
    found = []
    for tree, root in (("include", "include/tessera"), ("lib", "lib")):
        base = source_directory / root
        for path in sorted(base.rglob("*")):
            if path.suffix not in {".hpp", ".cpp"}:
                continue
            parts = path.relative_to(base).parts
            folder = parts[0] if len(parts) > 1 else "root"
            engine = parts[1] if len(parts) > 2 else None
            where = path.relative_to(source_directory)
            if folder not in LAYERS:
                found.append(f"{where}:1: the design has no folder {folder}/")
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                problem = match and problem_of(tree, folder, engine, *match.groups())
                if match and names_format_of_tool(folder, path, match[2]):
                    problem = "a command names no format; call a file of FORMAT_FILES_OF_TOOL"
                if problem:
                    found.append(f"{where}:{number}: {line.strip()}: {problem}")
                if names_system(folder, engine, line):
                    found.append(f"{where}:{number}: {line.strip()}: executor/{BASE_ENGINE}/ names no system; "
                                 "ask array_system")
                if names_function(folder, line):
                    found.append(f"{where}:{number}: {line.strip()}: {folder}/ names no function; "
                                 "call what the tag says")
                if folder != "json" and PARSER.search(line.split("//")[0]):
                    found.append(f"{where}:{number}: {line.strip()}: lib/json alone parses JSON; "
                                 "call fields::parse or parse_json")
                if room := named_format(parts, line):
                    found.append(f"{where}:{number}: {line.strip()}: only zarr/{room} names its "
                                 "documents; ask find_node, or the format for its keys")
                if names_storage(folder, path, line):
                    found.append(f"{where}:{number}: {line.strip()}: {folder}/ names no storage; "
                                 "ask the ports array_source and array_sink")
    return found


if __name__ == "__main__":
    lines = problems(sys.argv[1]) + hidden_headers(sys.argv[1])
    print("\n".join(lines) or "every include keeps to the layers")
    sys.exit(1 if lines else 0)
