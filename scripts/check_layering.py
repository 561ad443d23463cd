#!/usr/bin/env python3
"""Checks that imports point down only, and the other rules of the house that a machine can see.

usage: check_layering.py [ROOT]

Reads the #include lines of include/, lib/, tools/ and bench/ and the libraries named in their CMakeLists.txt, and prints
one line a breach, "file:line: what was found; what would be right". Exit status 1 where there is one.
ARROWS, HEADER_ARROWS and LIBRARY_ARROWS below are the whole table; docs/Architecture.md has the picture.
"""

import os
import re
import sys

# Room: the rooms right below it. Going further down is allowed too. A family (Runtime = Runtime/Core, Runtime/CPU ...) may
# be named whole; the longest name that fits a folder counts.
ARROWS = {
    "tools": {"Driver"},
    "Driver": {"Api", "Measure", "Cache", "Command", "Peak"},
    "Api": {"Runtime", "Graph", "Cache"},
    "Compiler": {"Pipeline", "Import", "Export", "Runtime/Core"},
    "Pipeline": {"Target", "Codegen", "Conversion"},
    "Target": {"Dialect"},
    "Codegen": {"Dialect"},
    "Conversion": {"Dialect"},
    "Import": {"Dialect", "Graph"},
    "Export": {"Conversion", "Dialect", "Graph"},
    "Measure": {"Reference", "Runtime", "Peak"},
    "Cache": {"Spec", "Runtime/Core"},
    "Dialect": {"Spec"},
    "Graph": {"Spec"},
    "Command": {"Spec"},
    "Reference": {"Spec"},
    "Runtime": {"Spec"},
    "Spec": {"Support"},
    "Support": set(),
    "Peak": set(),
}

# Single headers that are agreed upon, and what they are for: they open no way to the rest of their room.
HEADER_ARROWS = {
    ("Driver", "Compiler/Entry.h"): "the C table of the dlopen'd compiler",
    ("Api", "Compiler/Entry.h"): "the C table of the dlopen'd compiler",
    ("Compiler", "Runtime/CPU/Isa.h"): "names of instruction-set levels",
    ("Codegen/CPU", "Runtime/CPU/Isa.h"): "names of instruction-set levels",
    ("Target/CPU", "Runtime/CPU/Isa.h"): "names of instruction-set levels",
    ("Target/CUDA", "Runtime/Core/CudaLaunch.h"): "launches, whose legality is the target's",
    ("Codegen/GPU", "Runtime/Core/CudaLaunch.h"): "launches, which kernels come with",
    ("Codegen/GPU", "Target/CUDA/Rules.h"): "what tensor maps and registers allow",
}

# The libraries that such headers belong to.
LIBRARY_ARROWS = {
    ("Compiler", "orzoIsa"): "names of instruction-set levels",
    ("Codegen/CPU", "orzoIsa"): "names of instruction-set levels",
    ("Target/CPU", "orzoIsa"): "names of instruction-set levels",
    ("Codegen/GPU", "orzoCudaRules"): "what tensor maps and registers allow",
}

# Rooms that may include MLIR's and LLVM's headers; their CMakeLists.txt say orzo_mlir_library.
MLIR_ROOMS = {"Dialect", "Import", "Conversion", "Export", "Codegen", "Target", "Pipeline", "Compiler"}

# Inside a family: what is common knows no backend, and no backend knows another.
COMMON, BACKENDS = {"Core", "Common"}, {"CPU", "CUDA", "GPU"}

TARGET_FREE_ROOMS = {"Spec", "Dialect", "Import"}
TARGET_WORDS = re.compile(r"\b(cpu|gpu|avx\w*|x86\w*|cuda\w*|nvvm\w*|nvgpu\w*|nvptx\w*|ptx|sm_\d+\w*|wgmma\w*|gfx\d+\w*"
                          r"|rocdl\w*|amdgpu\w*)\b", re.IGNORECASE)
DRIVER_FLAGS = re.compile(r'"-{0,2}(in_layout|fil_layout|out_layout|conv_stride_[hwd]|dilation_[hwd]|pad_[hwd]|fil_[hwd]'
                          r'|in_channels|out_channels|forw|group_count)\b')
DRIVER_NAMES = re.compile(r'"[^"]*\b(MIOpenDriver|iree-boo-driver|fusilli_benchmark_driver|convbfp16|convfp16)\b')

SOURCE_FOLDERS = ("include", "lib", "tools", "bench")
SOURCE_ENDINGS = (".h", ".cpp", ".td")


def family(room):
    return room.split("/")[0]


def known(room):
    """The name in ARROWS that stands for a room: itself, or its family."""
    return room if room in ARROWS else family(room)


def room_of(path):
    """The room a file or an include path belongs to ("Runtime/CPU", "Spec", "tools"), or None outside all rooms."""
    parts = path.split("/")
    if parts[0] == "tools":
        return "tools"
    if parts[0] == "include":
        parts = parts[1:]
    if parts and parts[0] in ("lib", "orzo", "bench"):
        parts = parts[1:]
    if not parts or parts[0] not in ARROWS or parts[0] == "tools":
        return None
    folders = parts[:-1]
    has_rooms = parts[0] in ("Runtime", "Dialect", "Import", "Conversion", "Export", "Codegen", "Target")
    return "/".join(folders[: 2 if has_rooms else 1])


def reachable(room):
    """Every room below `room`, however far."""
    below, front = set(), list(ARROWS.get(known(room), ()))
    while front:
        each = front.pop()
        if each not in below:
            below.add(each)
            front.extend(ARROWS.get(known(each), ()))
    return below


def may_import(source, target):
    """Whether room `source` may import all of room `target`."""
    if family(source) == family(target):
        first, second = source.split("/")[-1], target.split("/")[-1]
        return source == target or not (second in BACKENDS and (first in COMMON or first in BACKENDS))
    return any(target == room or target.startswith(room + "/") for room in reachable(source))


def may_include(source, path):
    """Whether a file of room `source` may include `path`, a header of another room."""
    return may_import(source, room_of(path)) or any(
        (name, path) in HEADER_ARROWS for name in (source, family(source)))


def without_comments(text):
    """C++ with comments blanked; strings and line numbers stay."""
    pattern = re.compile(r"""'(?:\\.|[^'\\\n])'|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/""", re.DOTALL)
    return pattern.sub(lambda hit: "\n" * hit[0].count("\n") if hit[0][0] == "/" else hit[0], text)


def files(root, endings, names=()):
    """Paths below SOURCE_FOLDERS, relative to root, that end so or are named so."""
    for folder in SOURCE_FOLDERS:
        for where, folders, found in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(found):
                if name.endswith(endings) or name in names:
                    yield os.path.relpath(os.path.join(where, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def check_include(path, included, quoted):
    """The complaint about one #include, or None."""
    source = room_of(path)
    if re.match(r"(mlir|llvm|lld|clang)(-c)?/", included):
        if path.startswith("include/"):
            return f"a public header includes {included}; include/orzo has no MLIR or LLVM in it"
        if source and family(source) not in MLIR_ROOMS:
            return f"{source} includes {included}; only {', '.join(sorted(MLIR_ROOMS))} may include MLIR or LLVM"
        return None
    target = room_of(included) if quoted else None
    if not target or not source:
        return None
    if path.startswith("include/") and not included.startswith("orzo/"):
        return f'a public header includes the private "{included}"; it may include "orzo/..." only'
    if not may_include(source, included):
        below = ", ".join(sorted(reachable(source))) or "nothing"
        return f'{source} includes "{included}" of {target}; imports point down only, below {source} are: {below}'
    return None


def check_words(path, line):
    """The complaints about one line of code (comments removed)."""
    source = room_of(path)
    if re.search(r"\b(secure_)?getenv\b", line) and path != "lib/Support/Environment.cpp":
        yield "calls getenv; only lib/Support/Environment.cpp reads the environment"
    if re.search(r"\bcl::(opt|list|alias|bits)\b", line):
        yield "has a cl::opt; an option is a field of a struct, read by CLI11 or the flag table"
    if source and family(source) in TARGET_FREE_ROOMS:
        for hit in TARGET_WORDS.finditer(line):
            yield f"{source} names the target '{hit[0]}'; Spec, Dialect and Import know no target"
    if path.startswith(("lib/", "include/")) and source and source != "Command":
        if DRIVER_FLAGS.search(line) or (source != "Driver" and DRIVER_NAMES.search(line)):
            yield "spells a driver command's flag or name; they live in lib/Command only"


def check_sources(root):
    for path in files(root, SOURCE_ENDINGS):
        if "Utils" in path.split("/")[:-1]:
            yield f"{path}:1: a Utils folder; a helper lives with its only user or in a file named after a noun"
        for number, line in enumerate(without_comments(read(root, path)).split("\n"), 1):
            include = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
            if include:
                complaint = check_include(path, include[2], include[1] == '"')
                complaints = [complaint] if complaint else []
            else:
                complaints = check_words(path, line)
            for complaint in complaints:
                yield f"{path}:{number}: {complaint}"


def check_libraries(root):
    """The libraries that CMakeLists.txt link, by the same arrows."""
    texts, homes = {}, {}
    for path in files(root, ("/CMakeLists.txt",), ("CMakeLists.txt",)):
        texts[path] = re.sub(r"#[^\n]*", "", read(root, path))
        for hit in re.finditer(r"\borzo_(?:mlir_)?library\s*\(\s*(\w+)", texts[path]):
            homes["orzo" + hit[1]] = path
        for hit in re.finditer(r"\badd_library\s*\(\s*(orzo[A-Z]\w*)", texts[path]):
            homes[hit[1]] = path
    for path, text in texts.items():
        source = room_of(path)
        if not source:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if "orzo_mlir_library" in line and family(source) not in MLIR_ROOMS:
                yield f"{path}:{number}: {source} is built with MLIR; only {', '.join(sorted(MLIR_ROOMS))} may be"
            for hit in re.finditer(r"\borzo[A-Z]\w*", line):
                target = room_of(homes[hit[0]]) if hit[0] in homes else None
                if target and (source, hit[0]) not in LIBRARY_ARROWS and not may_import(source, target):
                    yield f"{path}:{number}: {source} links {hit[0]} of {target}; imports point down only"


def check(root):
    """Every breach, as lines."""
    return [*check_sources(root), *check_libraries(root)]


if __name__ == "__main__":
    breaches = check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
    print(*breaches, sep="\n", end="\n" if breaches else "")
    sys.exit(1 if breaches else 0)
