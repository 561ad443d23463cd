#!/usr/bin/env python3
"""Sums the results of a test run and prints the closing line: N passed, N failed[, N skipped].

usage: count_tests.py FOLDER

FOLDER holds ctest.xml (ctest's JUnit output), one XML file per GoogleTest program (its own report) and, where they ran,
lit.xml and iree.xml. A ctest entry NAME counts as the cases of orzo<NAME>Tests.xml where that file is there, else as one. An entry that
failed although its report shows no failure (a crash, a time-out, a sanitizer's complaint at exit) counts as one failure
more. Exit status: 1 where something failed or nothing passed.
"""

import os
import sys
import xml.etree.ElementTree as ElementTree


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, outcome):
        setattr(self, outcome, getattr(self, outcome) + 1)

    def __str__(self):
        line = f"{self.passed} passed, {self.failed} failed"
        return line + (f", {self.skipped} skipped" if self.skipped else "")


def outcome_of(case):
    """"passed", "failed" or "skipped", of a JUnit <testcase> as ctest, GoogleTest or lit writes it."""
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def cases(path):
    """The <testcase>s of a report; none where the program died before it was written whole."""
    try:
        return list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return []


def count(folder):
    total = Count()
    for entry in cases(os.path.join(folder, "ctest.xml")):
        outcome = outcome_of(entry)
        # ctest also calls "not run" what it could not start; only a skip that the test asked for is one.
        if entry.get("status") == "notrun" and "SKIP_" not in (entry.find("skipped").get("message") or ""):
            outcome = "failed"
        outcomes = [outcome_of(case) for case in cases(os.path.join(folder, f"orzo{entry.get('name')}Tests.xml"))]
        if not outcomes or (outcome == "failed" and "failed" not in outcomes):
            outcomes.append(outcome)
        for each in outcomes:
            total.add(each)
    for name in ("lit.xml", "iree.xml"):
        for case in cases(os.path.join(folder, name)):
            total.add(outcome_of(case))
    return total


if __name__ == "__main__":
    result = count(sys.argv[1])
    print(result)
    sys.exit(1 if result.failed or not result.passed else 0)
