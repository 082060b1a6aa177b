#!/usr/bin/env python3
"""Runs ctest in a build folder and counts single tests.

    run-tests.py BUILD_DIR [CTEST_ARGUMENT...]

One ctest entry may stand for many tests: all of lit's, all of GoogleTest's. Such
an entry leaves a JUnit report in BUILD_DIR/test-results/ENTRY.xml, and the tests
in it are counted in place of the entry. The last line printed is

    N passed, N failed[, N skipped]

and the exit code is 0 only if something passed and nothing failed.
"""

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path


def outcome(case):
    """What became of one JUnit test case."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") == "notrun":
        return "skipped"
    return "passed"


def count_cases(report):
    return Counter(outcome(case) for case in ElementTree.parse(report).iter("testcase"))


def count_entry(entry, results):
    """The tests behind one ctest entry."""
    own = outcome(entry)
    # No entry skips itself; one that did not run lacks its program.
    if own == "skipped":
        own = "failed"
    report = results / f"{entry.get('name')}.xml"
    if not report.exists():
        return Counter([own])
    try:
        counts = count_cases(report)
    except ElementTree.ParseError as error:
        print(f"{report}: not a readable test report: {error}")
        return Counter(["failed"])
    # It failed for a reason that is none of its tests, at its end for example.
    if own == "failed" and not counts["failed"]:
        counts["failed"] += 1
    return counts


def main():
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} BUILD_DIR [CTEST_ARGUMENT...]")
    build = Path(sys.argv[1]).resolve()
    results = build / "test-results"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    summary = results / "ctest-summary.xml"
    status = subprocess.call(
        ["ctest", "--test-dir", str(build), "--output-on-failure"]
        + ["--no-tests=error", "--output-junit", str(summary)]
        + ["--parallel", str(os.cpu_count() or 1)]
        + sys.argv[2:],
        stdin=subprocess.DEVNULL,
    )

    counts = Counter()
    if summary.exists():
        for entry in ElementTree.parse(summary).iter("testcase"):
            counts += count_entry(entry, results)
    # ctest knows of failures that are no test's, such as a missing program.
    if status != 0 and not counts["failed"]:
        counts["failed"] += 1

    print(f"{counts['passed']} passed, {counts['failed']} failed", end="")
    print(f", {counts['skipped']} skipped" if counts["skipped"] else "", flush=True)
    sys.exit(0 if counts["passed"] and not counts["failed"] else 1)


if __name__ == "__main__":
    main()
