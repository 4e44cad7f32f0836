#!/usr/bin/env python3
"""The recipes in packaging/, and conanfile.py, have the version, the options and the dependencies of the sources.

    recipes_test.py ROOT
"""
import ast
import json
import pathlib
import re
import sys


def version_of(root):
    header = (root / "include" / "clgemm" / "clgemm.h").read_text()
    return ".".join(re.findall(r"#define CLGEMM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))


def complaints(root):
    options = set(re.findall(r"^(?:option|set)\((CLGEMM_\w+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE))
    folder = root / "packaging"
    recipes = [folder / "vcpkg/clgemm/portfile.cmake", folder / "spack/packages/clgemm/package.py", folder / "homebrew/clgemm.rb",
               root / "conanfile.py"]
    for path in recipes:
        text = path.read_text()
        named = set(re.findall(r"CLGEMM_(?:BUILD_\w+|INSTALL|WERROR)", text))
        if not named:
            yield f"{path.name} sets no option of clgemm's"
        for option in sorted(named - options):
            yield f"{path.name} sets {option}, which CMakeLists.txt does not have"
        for dependency in ("opencl", "nlohmann"):
            if dependency not in text.lower() and path.name != "portfile.cmake":
                yield f"{path.name} does not name {dependency}"
    version = version_of(root)
    port = json.loads((folder / "vcpkg/clgemm/vcpkg.json").read_text())
    if port["version-semver"] != version:
        yield f"vcpkg.json is of version {port['version-semver']}"
    for part in ("opencl", "nlohmann-json"):
        if part not in port["dependencies"]:
            yield f"vcpkg.json does not name {part}"
    for path, words in ((recipes[1], f'version("{version}")'), (recipes[2], f"version {version}"),
                        (folder / "README.md", f"clgemm@{version}")):
        if words not in path.read_text():
            yield f"{path.name} does not say {words}"
    for path in (recipes[1], recipes[3]):
        ast.parse(path.read_text())


if __name__ == "__main__":
    found = list(complaints(pathlib.Path(sys.argv[1])))
    print("\n".join(found))
    sys.exit(1 if found else 0)
