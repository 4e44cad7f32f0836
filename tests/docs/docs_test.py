#!/usr/bin/env python3
"""Checks that README and docs say what is so.

    docs_test.py CHECK --root SOURCES --build BUILD --prefix INSTALLED --work FOLDER

links      relative links lead to files, and their anchors to headings; a page shows each picture
exercises  the course's exercises change what is in the sources
options    the programs named in code have the options that are given to them
manuals    the manual pages of the programs have the options and exit statuses that these tell of themselves
variables  the README's variables are those that the sources read
spdx       the SPDX file that is installed has the header's version, LICENSE's licence, and those of `licenses/`, by CMake's names
figures    every figure of speed or accuracy in prose is bench/plot/draw's, but in docs/notes, where it has a date
examples   fenced code runs: ```c, ```cpp and ```python alone, or by later ```sh where a file=NAME says under which name (any language); a
           ```text output block is what the code before it prints. ```c around=NAME is a few lines of around/NAME.c. `norun` leaves
           a block out, and `nightly` does unless --nightly is given
self       this script finds what is wrong in documents made for that
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\S*)([^\n]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
AROUND = pathlib.Path(__file__).with_name("around")
PROGRAMS = {"clgemm-info": "tools", "clgemm-selftest": "tools", "clgemm-tune": "tools", "sgemm_bench": "bench",
            "kernels_bench": "bench", "accuracy_bench": "bench", "selection_bench": "bench", "first_call_bench": "bench",
            "regression_bench": "bench"}


def documents(root):
    return [path for path in [root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md",
                              root / "packaging" / "README.md", root / "python" / "README.md",
                              *sorted((root / "docs").rglob("*.md"))] if path.exists()]


def anchors(text):
    """As GitHub makes them of headings: words in lower case with hyphens; a second heading of that name gets -1."""
    found, count = set(), {}
    for heading in re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", heading.strip()).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(f"{slug}-{count[slug]}" if slug in count else slug)
        count[slug] = count.get(slug, 0) + 1
    return found


def check_links(root, _):
    shown = {(path.parent / target).resolve() for path in documents(root)
             for target in re.findall(r"!\[[^]]*\]\(([^)\s]+)\)", path.read_text())}
    for picture in sorted((root / "docs" / "pictures").glob("*")):
        if picture.resolve() not in shown:
            yield f"no page shows {picture.relative_to(root)}"
    for path in documents(root):
        prose = FENCE.sub("", path.read_text())
        for target in re.findall(r"\]\(([^)\s]+)\)", prose) + re.findall(r"(?:src|srcset|href)=\"([^\"]+)\"", prose):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            leads_to = (path.parent / file).resolve() if file else path
            if not leads_to.exists():
                yield f"{path.relative_to(root)}: nothing is at {target}"
            elif anchor and leads_to.suffix == ".md" and anchor not in anchors(leads_to.read_text()):
                yield f"{path.relative_to(root)}: no heading makes the anchor of {target}"


def check_exercises(root, _):
    count = 0
    for path in sorted((root / "docs" / "course").glob("*.md")):
        for paragraph in re.split(r"\n\s*\n", path.read_text()):
            sources = [(path.parent / target) for target in re.findall(r"\]\(([^)#\s]+\.(?:cpp|cl))\)", paragraph)]
            for words in re.findall(r"(?:in place\s+of|in the\s+row\s+of|exchange|and|set|the\s+function|begins\s+with)\s+`([^`]+)`", paragraph):
                words = " ".join(words.removesuffix("()").split())
                if sources and words not in sources[0].read_text():
                    yield f"{path.relative_to(root)}: an exercise changes '{words}', which {sources[0].name} does not have"
                count += 1
    if count == 0:
        yield "there are no exercises"


def code_in(text):
    """Lines of code blocks, fenced and indented, a backslash at the end joining two; and what stands in backticks."""
    fenced = [match.group(3) for match in FENCE.finditer(text)]
    rest = FENCE.sub("", text)
    indented = [line for line in rest.splitlines() if line.startswith("    ")]
    return [line for line in "\n".join(fenced + indented).replace("\\\n", " ").splitlines()] + re.findall(r"`([^`\n]+)`", rest)


def help_of(program, arguments):
    command = [str(arguments.build / PROGRAMS[program] / program), "--help"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def check_options(root, arguments):
    known = {program: set(re.findall(r"--[a-z][a-z-]*", help_of(program, arguments))) for program in PROGRAMS}
    for path in documents(root):
        if path.name == "CHANGELOG.md":
            continue # it also tells of what was
        for line in code_in(path.read_text()):
            for program in PROGRAMS:
                for given in re.findall(rf"(?<![\w-]){program}(?![\w-])([^#|&;]*)", line):
                    for option in re.findall(r"(?<!\S)\[?(--[a-z][a-z-]*)", given):
                        if option not in known[program]:
                            yield f"{path.relative_to(root)}: {program} has no option {option}"


def check_manuals(root, arguments):
    pages = sorted((root / "tools").glob("*.1"))
    for path in pages:
        sections = dict(re.findall(r"^\.SH ([^\n]*)\n(.*?)(?=^\.SH|\Z)", path.read_text(), re.MULTILINE | re.DOTALL))
        options, _, statuses = help_of(path.stem, arguments).partition("Exit status:")
        told = set(re.findall(r"^ +(?:-\w, *)?(--[a-z][a-z-]*)", options, re.MULTILINE))
        described = set(re.findall(r"^\.TP\n.*?(--[a-z][a-z-]*)", sections.get("OPTIONS", "").replace("\\-", "-"), re.MULTILINE))
        told |= set(re.findall(r"\b(\d+) ", statuses))
        described |= set(re.findall(r"^\.TP\n\.B (\d+)$", sections.get("EXIT STATUS", ""), re.MULTILINE))
        for what in sorted(told - described):
            yield f"{path.relative_to(root)} says nothing of {what}"
        for what in sorted(described - told):
            yield f"{path.relative_to(root)} describes {what}, of which {path.stem} --help says nothing"
    if not pages:
        yield "there are no manual pages"


def check_variables(root, _):
    read = set()
    for path in (path for folder in ("src", "doors") for path in (root / folder).rglob("*.[ch]pp")):
        read |= set(re.findall(r"\"(CLGEMM_[A-Z_]+)\"", path.read_text()))
    read -= {"CLGEMM_VERSION"}
    read = {name for name in read if not re.match(r"CLGEMM_(SUCCESS|INVALID|OVERFLOW|WRONG|UNKNOWN|INTERNAL|NO_DEVICE|MATH_)", name)}
    told = set(re.findall(r"`(CLGEMM_[A-Z_]+)`", "\n".join(re.findall(r"^\|.*$", (root / "README.md").read_text(), re.MULTILINE))))
    for name in sorted(read - told):
        yield f"the sources read {name}, of which the README's tables say nothing"
    for name in sorted(told - read):
        yield f"README.md: {name} is read nowhere"


def check_spdx(root, arguments):
    try:
        document = json.loads((arguments.build / "clgemm.spdx.json").read_text())
    except ValueError as error:
        yield f"clgemm.spdx.json is no JSON: {error}"
        return
    packages = {package["name"]: package for package in document["packages"]}
    own = packages.pop("clgemm")
    header = (root / "include" / "clgemm" / "clgemm.h").read_text()
    version = ".".join(re.findall(r"^#define CLGEMM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header, re.MULTILINE))
    for where, told in (("name", document["name"].removeprefix("clgemm-")), ("versionInfo", own["versionInfo"])):
        if told != version:
            yield f"clgemm.spdx.json: {where} has the version '{told}', but the header {version}"
    licence = re.search(r"(\w+) License\s+Version (\S+),", (root / "LICENSE").read_text())
    if own["licenseDeclared"] != "-".join(licence.groups()):
        yield f"clgemm.spdx.json: the licence is {own['licenseDeclared']}, but LICENSE is {licence.group(0)}"
    compiled_in = {path.stem for path in (root / "licenses").glob("*.txt")}
    for name in sorted(compiled_in ^ set(packages)):
        yield f"{name} is " + ("not in clgemm.spdx.json" if name in compiled_in else "in clgemm.spdx.json, but not in licenses")
    found = {name.replace("_", "-") for file in ("CMakeLists.txt", "tools/program/CMakeLists.txt") if (root / file).exists()
             for name in re.findall(r"find_package\((\w+)", (root / file).read_text())}
    contained = {relation["relatedSpdxElement"] for relation in document["relationships"]
                 if relation["spdxElementId"] == own["SPDXID"] and relation["relationshipType"] == "CONTAINS"}
    for name, package in packages.items():
        if name not in found:
            yield f"clgemm.spdx.json has {name}, which CMake does not look for"
        if not re.match(r"\d+\.", package["versionInfo"]):
            yield f"clgemm.spdx.json: the version of {name} is '{package['versionInfo']}'"
        if package["SPDXID"] not in contained:
            yield f"clgemm.spdx.json does not say that clgemm contains {name}"


# What is a figure of speed or accuracy: a number with a unit, so many times something, or one with a point, such as the ratio
# 0.89. Right behind a name, "PoCL 3.1", a number with a point is a version.
UNITS = r"[TGP]FLOP/s|[TGM]B/s|bytes/ns|GHz|MHz|ms|us|ns|microseconds|milliseconds|seconds|minutes|hours|s|%"
NUMBER = r"(?<![\w.,^-])\d[\d,]*(?:\.\d+)?(?![\d.]*\d)"
FIGURE = re.compile(rf"{NUMBER}(?:(?: to | and |, ){NUMBER})*\s?(?:{UNITS})(?![\w/])"
                    rf"|{NUMBER}(?: to {NUMBER})? times\b(?! \d)"
                    r"|(?<![\w.,^-])\d+\.\d+(?![\d.]*\d)(?! or | up)")
VERSION_OF = re.compile(r"[A-Z][\w+]*(?:'s|'s rusticl| C)?\s\Z")
DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2} [A-Z][a-z]+ \d{4}\b")


def figures_in(text):
    return [match for match in FIGURE.finditer(text)
            if not (re.fullmatch(r"[\d.]+", match.group(0)) and VERSION_OF.search(text, 0, match.start()))]


def check_figures(root, _):
    """The exceptions are in figures.txt beside this script: a document, the words there, and the reason."""
    lines = [line for line in (pathlib.Path(__file__).parent / "figures.txt").read_text().splitlines() if line and line[0] != "#"]
    exceptions = [tuple(part.strip() for part in line.split("|")) for line in lines]
    unused = set(exceptions)
    for path in documents(root):
        name, text = str(path.relative_to(root)), path.read_text()
        if name.startswith("docs/notes/"):
            for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
                if figures_in(section) and not DATE.search(section):
                    yield f"{name}: no date says when the figures of '{section.splitlines()[0]}' were measured"
            continue
        text = re.sub(r"<!-- table: (.*?)<!-- end of table -->|<!-- n: .*?<!-- /n -->", " ", FENCE.sub("", text), flags=re.DOTALL)
        text = " ".join(re.sub(r"^    .*$|`[^`\n]+`|\]\([^)]*\)", " ", text, flags=re.MULTILINE).split())
        for exception in exceptions:
            document, words, _ = exception
            if document == name and words in text:
                text = text.replace(words, " ")
                unused.discard(exception)
        for figure in figures_in(text):
            around = text[max(0, figure.start() - 60):figure.end() + 30]
            yield f"{name}: '{figure.group(0)}' is written by hand, in: ... {around} ..."
    for document, words, _ in sorted(unused):
        if (root / document).exists():
            yield f"figures.txt: {document} has no '{words}'"


class Examples:
    """A document's code, in a folder of its own that looks like a clone: build/release, and build/library, is the build at hand."""

    def __init__(self, arguments, folder):
        self.folder, self.said = folder, None
        self.compilers = {"c": ["cc", "-std=c99"], "cpp": ["c++", "-std=c++17"]}
        (folder / "build").mkdir()
        for preset in ("release", "library"):
            (folder / "build" / preset).symlink_to(arguments.build)
        (folder / "home").mkdir()
        prefix = arguments.prefix
        # The distribution's own python3 comes first, which has NumPy.
        self.environment = dict(os.environ, PREFIX=str(prefix), HOME=str(folder / "home"),
                                PATH=f"{prefix / 'bin'}:/usr/bin:{os.environ['PATH']}",
                                PKG_CONFIG_PATH=str(next(prefix.glob("lib*/**/pkgconfig"), prefix)))
        self.environment.pop("LD_LIBRARY_PATH", None)
        # Python takes the module from the sources, and the library from where the loader looks.
        library = next(prefix.glob("lib*/**/libclgemm.so"), prefix)
        self.for_python = {"PYTHONPATH": str(arguments.root.resolve() / "python"), "LD_LIBRARY_PATH": str(library.parent)}

    def run(self, command, more_environment=None):
        environment = self.environment | (more_environment or {})
        done = subprocess.run(command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=600, check=False)
        self.said = done.stdout
        if "cannot be preloaded" in done.stderr:  # which the loader takes for no error
            return done.stderr.strip()[-600:]
        return "" if done.returncode == 0 else f"ends with {done.returncode}: {done.stderr.strip()[-600:]}"

    def run_block(self, language, words, code):
        """What is wrong; empty: nothing."""
        name = next((word[5:] for word in words if word.startswith("file=")), "")
        if name:
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(code)
            return ""
        if language == "sh":
            return self.run(["bash", "-euo", "pipefail", "-c", code])
        around, more = next((word[7:] for word in words if word.startswith("around=")), ""), []
        if around:
            more = ["-lOpenCL"]
            code = (AROUND / f"{around}.c").read_text().replace("/* HERE */", code)
        source = self.folder / f"example.{language}"
        source.write_text(code)
        if language == "python":
            return self.run(["/usr/bin/python3", "-B", str(source)], self.for_python)
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "clgemm"], env=self.environment, stdout=subprocess.PIPE,
                               text=True, check=True).stdout.split()
        library = next(flag[2:] for flag in flags if flag.startswith("-L"))
        wrong = self.run([*self.compilers[language], str(source), "-o", "example", *flags, *more, f"-Wl,-rpath,{library}"])
        return wrong or self.run(["./example"])


@contextlib.contextmanager
def left_as_it_was(path):
    before = path.read_bytes() if path.exists() else None
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)


def check_examples(root, arguments):
    # An example may install the build. By this list `uninstall` knows what to remove, and that is what the user installed last.
    with left_as_it_was(arguments.build / "install_manifest.txt"):
        yield from wrong_examples(root, arguments)


def wrong_examples(root, arguments):
    count = {"run": 0, "left": 0}
    left_out = {"norun"} if arguments.nightly else {"norun", "nightly"}
    for path in documents(root):
        blocks = [(match.group(1), match.group(2).split(), match.group(3)) for match in FENCE.finditer(path.read_text())]
        if not any(language in ("c", "cpp", "python", "sh") for language, _, _ in blocks):
            continue
        with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
            examples = Examples(arguments, pathlib.Path(folder))
            for number, (language, words, code) in enumerate(blocks, 1):
                where = f"{path.relative_to(root)}, code block {number} ({language})"
                if language == "text" and "output" in words:
                    if examples.said is None or examples.said.strip() != code.strip():
                        yield f"{where}: the code before it prints:\n{examples.said}"
                elif language in ("c", "cpp", "python", "sh") or any(word.startswith("file=") for word in words):
                    is_left_out = not left_out.isdisjoint(words)
                    count["left" if is_left_out else "run"] += 1
                    wrong = "" if is_left_out else examples.run_block(language, words, code)
                    if wrong:
                        yield f"{where}: {wrong}"
    print(f"{count['run']} blocks were run, {count['left']} were left out, which say {' or '.join(sorted(left_out))}")
    if count["run"] == 0:
        yield "no block was run"


def check_self(_, arguments):
    """Each of these documents has one thing wrong, which the check must find, and the good one has nothing."""
    cases = [
        (check_links, "[a](missing.md)", 1), (check_links, "[a](#nothing)\n# Something", 1),
        (check_links, "[a](README.md#some-thing-1)\n# Some `thing`\n# Some thing", 0),
        (check_options, "`clgemm-info --nonsense`", 1), (check_options, "    sgemm_bench --suite=gpu --nonsense 1", 1),
        (check_options, "    sgemm_bench --suite=gpu && cmake --nonsense", 0),
        (check_examples, "```sh\nfalse\n```", 1), (check_examples, "```sh\necho a\n```\n```text output\nb\n```", 1),
        (check_examples, "```sh\necho a\n```\n```text output\na\n```", 0),
        (check_examples, "```c\nint main(void) { return nonsense; }\n```", 1),
        (check_examples, "```python\nimport sys; sys.exit(3)\n```", 1), (check_examples, "```sh norun\ntrue\n```", 1),
        (check_examples, "```c around=host\nW[0] = 1;\n```", 0), (check_examples, "```c around=host\nnonsense;\n```", 1),
        (check_examples, "```c around=buffers\nclgemm_sgemm(CLGEMM_ROW_MAJOR, 0, 0, 1, 1, 1, 1, A, 0, 1, B, 0, 1, 0, C, 0, 1, queue, 0, "
         "NULL, NULL);\n```", 1), # neither transposed nor not
        (check_examples, "```sh\ncmake --install build/release --prefix here && test -e here/include/clgemm\n```", 0),
        (check_spdx, {"include/clgemm/clgemm.h": "#define CLGEMM_VERSION_MAJOR 99", "LICENSE": "Apache License\nVersion 2.0, 2004",
                      "licenses/CLI11.txt": "", "licenses/nonsense.txt": "", "CMakeLists.txt": "find_package(CLI11)"}, 5),
        (check_variables, "| `CLGEMM_NONSENSE` | |", 1), (check_manuals, "", 1),
        (check_figures, "It has 12 TFLOP/s.", 1), (check_figures, "It is 1.7 times\nas fast, in 3 to 4 ms.", 2),
        (check_figures, "0.89 of it", 1), (check_figures, "<!-- n: x -->0.89<!-- /n --> of it, on PoCL 3.1, `0.5 s`, 2^-24", 0),
        (check_figures, "## A\n12 ms\n## B\non 1 May 2026, 12 ms", 1, "docs/notes/a.md"),
        (check_figures, "## A\non 2026-05-01, 12 ms\n## B\nno figure", 0, "docs/notes/a.md"),
        (check_links, "nothing", 1, "docs/pictures/a.svg"),
        (check_exercises, "no exercise", 1, "docs/course/a.md"),
        (check_exercises, {"docs/course/a.md": "In [a](a.cl), write `1` in place\nof `2\n3`.", "docs/course/a.cl": "2 4"}, 1),
        (check_exercises, {"docs/course/a.md": "In [a](a.cl), write `1` in place\nof `2\n3`.", "docs/course/a.cl": "2 3"}, 0),
        (check_figures, "    0.89 s\n\n<!-- table: x -->\n1 ms\n<!-- end of table -->\n[4.5 GB/s](x_0.89)", 1),
    ]
    installed = arguments.build / "install_manifest.txt"
    before = installed.read_text() if installed.exists() else None
    for check, text, wrong, *name in cases:
        with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
            root = pathlib.Path(folder)
            for file, content in (text if isinstance(text, dict) else {name[0] if name else "README.md": text}).items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(content + "\n")
            complaints = list(check(root, arguments))
            if len(complaints) != wrong:
                yield f"{check.__name__} of {text!r} says {complaints}"
    if (installed.read_text() if installed.exists() else None) != before:
        yield "an example changed what `uninstall` removes"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=["links", "exercises", "options", "manuals", "variables", "spdx", "figures", "examples", "self"])
    parser.add_argument("--nightly", action="store_true", help="examples that say so run, too")
    for name in ("root", "build", "prefix", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    complaints = list(globals()[f"check_{arguments.check}"](arguments.root, arguments))
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
