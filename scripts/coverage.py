#!/usr/bin/env python3
"""Runs tests in a build of the preset `coverage` and says what they reach.

    coverage.py BUILD_DIR [CTEST_ARGUMENT...]

Prints lines and branches by folder of lib/; which lines are not reached is in
BUILD_DIR/coverage/html/index.html. Processes that tests kill leave no counts.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

LLVM = Path("/usr/lib/llvm-22/bin")


def objects(build):
    """Everything that was built with counters."""
    programs = [path for path in (build / "bin").iterdir() if os.access(path, os.X_OK)]
    return programs + [path for path in (build / "lib").glob("lib*.so") if not path.is_symlink()]


def llvm_cov(command, build, *arguments):
    first, *others = objects(build)
    words = [LLVM / "llvm-cov", command, first, f"-instr-profile={build}/coverage/all.profdata"]
    for path in others:
        words += ["-object", path]
    words += ["-ignore-filename-regex=(/usr/|/test/|build/)", *arguments]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def main():
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} BUILD_DIR [CTEST_ARGUMENT...]")
    build, root = Path(sys.argv[1]).resolve(), Path(__file__).resolve().parent.parent
    folder = build / "coverage"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    # A few files for each program, into which its processes add. By its build ID: what
    # else a name can be made of (%m) is the same for programs with the same counters.
    os.environ["LLVM_PROFILE_FILE"] = f"{folder}/%b-%4m.profraw"
    status = subprocess.call(["ctest", "--test-dir", str(build), "--no-tests=error", *sys.argv[2:]])
    counted = sorted(folder.glob("*.profraw"))
    if not counted:
        sys.exit(f"{build}: no counters; is it a build of the preset coverage?")
    subprocess.run([LLVM / "llvm-profdata", "merge", "-sparse", *counted,
                    "-o", folder / "all.profdata"], check=True)
    for path in counted:
        path.unlink()
    sums = defaultdict(lambda: [0, 0, 0, 0])
    for file in json.loads(llvm_cov("export", build, "-summary-only"))["data"][0]["files"]:
        path = Path(file["filename"])
        if not path.is_relative_to(root / "lib"):
            continue
        lines, branches = file["summary"]["lines"], file["summary"]["branches"]
        counts = (lines["covered"], lines["count"], branches["covered"], branches["count"])
        name = path.relative_to(root / "lib").parts[0]
        sums[name] = [a + b for a, b in zip(sums[name], counts)]
    llvm_cov("show", build, "-format=html", f"-output-dir={folder}/html", "-show-branches=count")
    print(f"{'lib/':<14}{'lines':>8}{'reached':>10}{'branches':>10}{'reached':>10}")
    for name, (lines, all_lines, branches, all_branches) in sorted(sums.items()):
        print(f"{name:<14}{all_lines:>8}{100 * lines / max(all_lines, 1):>9.1f}%"
              f"{all_branches:>10}{100 * branches / max(all_branches, 1):>9.1f}%")
    print(f"Line by line: {folder}/html/index.html")
    sys.exit(status)


main()
