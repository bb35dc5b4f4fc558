# SPDX-License-Identifier: Apache-2.0
"""Compares the recipes of Spack and vcpkg with the registries of both, by hand before a release.

Every package is there, in a version that the recipe takes; every variant and feature of a package exists;
the manifest of vcpkg keeps to vcpkg's own schema (Debian: python3-jsonschema).

usage: registries_test.py <sources> <spack-packages> <vcpkg> <vcpkg-tool>
       three git checkouts: github.com/spack/spack-packages, microsoft/vcpkg, microsoft/vcpkg-tool
"""
import json
import pathlib
import re
import sys
import unittest

import jsonschema

SOURCES, SPACK, VCPKG, TOOL = map(pathlib.Path, sys.argv[1:])
BUILTIN = SPACK / "repos/spack_repo/builtin/packages"
PORTS = VCPKG / "ports"


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def version_key(text):
    return [int(part) for part in re.findall(r"\d+", text)]


def is_within(version, bounds):
    """Tells whether a version is in a range of Spack, "3:", "3.4:3.4.99" or "3.4"."""
    first, colon, last = bounds.partition(":")
    key, low, high = version_key(version), version_key(first), version_key(last)
    if not colon:
        return key[:len(low)] == low
    return key >= low and (not high or key[:len(high)] <= high)


class Spack(unittest.TestCase):
    def needs(self):
        text = (SOURCES / "cmake/packages/spack/packages/tessera/package.py").read_text()
        loop = re.search(r"for codec in \(([^)]*)\)", text)
        return [*re.findall(r'depends_on\("([^"]+)"', text), *re.findall(r'"([^"]+)"', loop[1])]

    def recipe_of(self, name):
        """Returns the recipes of a package, and of all packages that provide an interface of that name."""
        provides = re.compile(rf'provides\([^)]*"{name}["@]')
        own = BUILTIN / name.replace("-", "_") / "package.py"
        return "\n".join(text for path in BUILTIN.glob("*/package.py")
                         if provides.search(text := path.read_text()) or path == own)

    def test_packages_are_there(self):
        needs = self.needs()
        self.assertGreater(len(needs), 20)
        for need in needs:
            name, bounds, variant = re.fullmatch(r"([a-z0-9-]+)(?:@([0-9.:]+))?(?: \+(\w+))?", need).groups()
            recipe = self.recipe_of(name)
            self.assertTrue(recipe, f"Spack has no {name}")
            if bounds:
                versions = re.findall(r'version\(\s*"([^"]+)"', recipe) + re.findall(rf'"{name}@[:=]?([0-9.]+)', recipe)
                self.assertTrue(any(is_within(version, bounds) for version in versions), f"{need}: {versions[:5]}")
            if variant:
                self.assertRegex(recipe, f'"{variant}"')


class Vcpkg(unittest.TestCase):
    def test_ports_are_there(self):
        port = load(SOURCES / "cmake/packages/vcpkg/vcpkg.json")
        needs = [*port["dependencies"],
                 *(need for feature in port["features"].values() for need in feature["dependencies"])]
        for need in needs:
            need = {"name": need} if isinstance(need, str) else need
            found = port if need["name"] == "tessera" else load(PORTS / need["name"] / "vcpkg.json")
            self.assertEqual(found["name"], need["name"])
            for feature in need.get("features", []):
                self.assertIn(feature, found["features"])

    def test_manifest_keeps_to_the_schema(self):
        port = load(SOURCES / "cmake/packages/vcpkg/vcpkg.json")
        definitions = "vcpkg-schema-definitions.schema.json"
        text = (TOOL / "docs/vcpkg.schema.json").read_text(encoding="utf-8")
        schema = json.loads(text.replace(definitions, ""))
        schema["definitions"] = schema.get("definitions", {}) | load(TOOL / "docs" / definitions)["definitions"]
        jsonschema.Draft7Validator(schema).validate(port)
        misspelt = dict(port, dependency=[])
        self.assertFalse(jsonschema.Draft7Validator(schema).is_valid(misspelt))

    def test_functions_of_the_portfile_are_there(self):
        text = (SOURCES / "cmake/packages/vcpkg/portfile.cmake").read_text()
        folders = (VCPKG / "scripts", PORTS / "vcpkg-cmake", PORTS / "vcpkg-cmake-config")
        scripts = "\n".join(path.read_text(errors="replace") for folder in folders for path in folder.rglob("*.cmake"))
        for name in re.findall(r"^\s*(vcpkg_\w+)\(", text, re.MULTILINE):
            self.assertRegex(scripts, rf"function\({name}\b")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
