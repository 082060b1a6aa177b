"""Opens a report in a browser without a window: every layer must be on the
page, with a bar of the right share, and nothing may be fetched.

    open_report.py BROWSER REPORT.html REPORT.json
"""

import json
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

browser, page, data = sys.argv[1:]
report = json.loads(Path(data).read_text())


class Page(HTMLParser):
    """The text of each element with a class, and the widths of bars."""

    def __init__(self):
        super().__init__()
        self.names, self.bars, self.open, self.fetched = [], [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.fetched += [attributes[key] for key in ("src", "href") if key in attributes]
        if tag in ("meta", "br", "link"):
            return
        kind = attributes.get("class")
        self.open.append(kind)
        if kind == "name":
            self.names.append("")
        if kind == "bar":
            self.bars.append(float(re.search(r"width: ?([\d.]+)%", attributes["style"])[1]))

    def handle_endtag(self, tag):
        if self.open:
            self.open.pop()

    def handle_data(self, text):
        if self.open and self.open[-1] == "name":
            self.names[-1] += text


def dump(*arguments):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", *arguments,
             Path(page).resolve().as_uri()], capture_output=True, text=True, timeout=120, check=True).stdout


seen = Page()
seen.feed(dump("--dump-dom"))
names = [layer["name"] for layer in report["layers"]]
assert sorted(seen.names[: len(names)]) == sorted(names), (seen.names, names)
assert len(seen.names) == len(names) + len(report["chains"])
assert len(seen.bars) == len(names) and max(seen.bars) == 100.0, seen.bars
assert seen.bars == sorted(seen.bars, reverse=True), seen.bars
assert not seen.fetched, seen.fetched

# And it is painted: a picture of one colour would be tiny.
dump("--screenshot=page.png", "--window-size=900,1200")
assert Path("page.png").stat().st_size > 10000
print(f"{len(names)} layers on the page")
