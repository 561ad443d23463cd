#!/usr/bin/env python3
"""Filters file names on standard input: prints those that a compile_commands.json compiles (argument 1)."""

import json
import os
import sys

with open(sys.argv[1]) as database:
    compiled = {os.path.realpath(os.path.join(entry["directory"], entry["file"])) for entry in json.load(database)}
for line in sys.stdin:
    if os.path.realpath(line.strip()) in compiled:
        print(line.strip())
