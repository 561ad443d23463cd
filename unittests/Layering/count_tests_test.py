#!/usr/bin/env python3
"""scripts/count_tests.py counts what ctest, GoogleTest and lit report, and loses no failure."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
import count_tests

PASSED = '<testcase name="a" status="run" result="completed"/>'
FAILED = '<testcase name="b" status="run" result="completed"><failure message="1 != 2"/></testcase>'
SKIPPED = '<testcase name="c" status="run" result="skipped"><skipped message="no device"/></testcase>'


def entry(name, status="run", inner=""):
    return f'<testcase name="{name}" status="{status}">{inner}</testcase>'


def count(reports):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in reports.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(f"<testsuite>{text}</testsuite>" if text else "")
        return str(count_tests.count(folder))


class CountTests(unittest.TestCase):
    def test_cases_of_a_program_and_of_lit_are_summed(self):
        self.assertEqual(count({"ctest.xml": entry("Spec") + entry("Layering"), "orzoSpecTests.xml": PASSED * 3 + SKIPPED,
                                "lit.xml": PASSED * 2}), "6 passed, 0 failed, 1 skipped")

    def test_a_failed_case_counts_once(self):
        self.assertEqual(count({"ctest.xml": entry("Spec", "fail", "<failure/>"), "orzoSpecTests.xml": PASSED + FAILED}),
                         "1 passed, 1 failed")

    def test_a_crash_counts_whatever_the_report_says(self):
        crashed = entry("Spec", "fail", '<failure message="SEGFAULT"/>')
        self.assertEqual(count({"ctest.xml": crashed}), "0 passed, 1 failed")
        self.assertEqual(count({"ctest.xml": crashed, "orzoSpecTests.xml": ""}), "0 passed, 1 failed")
        self.assertEqual(count({"ctest.xml": crashed, "orzoSpecTests.xml": PASSED * 2}), "2 passed, 1 failed")

    def test_a_program_that_could_not_run_is_a_failure(self):
        absent = entry("Spec", "notrun", '<skipped message="Unable to find executable"/>')
        told = entry("Cuda", "notrun", '<skipped message="SKIP_RETURN_CODE=77"/>')
        self.assertEqual(count({"ctest.xml": absent + told}), "0 passed, 1 failed, 1 skipped")


if __name__ == "__main__":
    unittest.main()
