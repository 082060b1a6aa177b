"""Checks that links of Markdown pages lead somewhere.

    check_links.py PAGE...

A link to a file needs the file, one with #anchor a heading of that name.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page):
    """The headings of a page as GitHub turns them into anchors."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def broken(page, link):
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    if not target.exists():
        return "no such file"
    if anchor and anchor not in anchors(target):
        return f"no heading for it in {target.name}"
    return None


def main():
    count, bad = 0, []
    for page in map(Path, sys.argv[1:]):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for link in LINK.findall(line):
                if "://" in link:
                    continue
                count += 1
                if why := broken(page, link):
                    bad.append(f"{page}:{number}: {link}: {why}")
    print(f"{count} links")
    sys.exit("\n".join(bad) or (0 if count else "no links"))


main()
