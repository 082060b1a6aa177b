"""Draws the means of the suites, as docs/performance.md shows them:

  suites.py RESULTS.csv FIGURE.svg

RESULTS.csv is what `results.py --csv` makes of a run of permc-bench: comments
with the machine, the date and the run, then suite,cases,competitor,mean,worst.
Each mean is of speeds as multiples of memcpy's.
"""

import csv
import math
import sys
from html import escape

# The name in the report, what people call it, its colour on light and dark.
LIBRARIES = [
    ("openblas", "OpenBLAS", "#7d4fb3"),
    ("onednn", "oneDNN", "#c2410c"),
    ("eigen", "Eigen", "#b7791f"),
    ("torch", "PyTorch", "#be3a6b"),
    ("numpy", "NumPy", "#4f7cac"),
    ("naive", "loop at -O3", "#6b7280"),
]
SUITES = [
    ("vision", "images, feature maps"),
    ("attention", "heads, windows, weights"),
    ("dl", "deep-learning layouts"),
    ("ttc", "tensors of 200 MB"),
    ("random", "random shapes"),
    ("seed", "rank 8, Tensor Permute's"),
    ("highrank", "200 MB, rank 2 to 6"),
    ("small", "in the first caches"),
]
LEAST, MOST = 0.02, 1.5
LEFT, RIGHT, TOP, ROW, WIDTH = 236, 40, 104, 34, 900

STYLE = """
  text { font: 13px Inter, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #24292f }
  .title { font-size: 17px; font-weight: 600 } .small { font-size: 11.5px; fill: #57606a }
  .ground { fill: #ffffff } .halo { paint-order: stroke; stroke: #ffffff; stroke-width: 4px } .grid { stroke: #d8dee4 } .memcpy { stroke: #24292f; stroke-width: 2 }
  .permc { fill: #0b7a75 } .gain { stroke: #0b7a75; stroke-width: 3; opacity: .3 } .best { fill: none; stroke: #24292f; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9aa4af } .ground { fill: #0d1117 } .halo { stroke: #0d1117 } .grid { stroke: #2b323a } .memcpy { stroke: #e6edf3 }
    .permc { fill: #2fb5a8 } .gain { stroke: #2fb5a8 } .best { stroke: #e6edf3 }
  }
"""


def read(path):
    """The comments as a dict, and {suite: (cases, {competitor: mean})}."""
    about, suites = {}, {}
    with open(path) as file:
        lines = file.read().splitlines()
    for line in lines:
        if line.startswith("# "):
            key, _, value = line[2:].partition(": ")
            about[key] = value
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        cases, means = suites.setdefault(row["suite"], (row["cases"], {}))
        means[row["competitor"]] = float(row["mean"])
    return about, suites


def place(ratio):
    share = math.log(max(ratio, LEAST) / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def dot(x, y, radius, attributes):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" {attributes}/>'


def legend(y):
    x = LEFT
    for attributes, radius, words in [
        ('class="permc"', 6, "permc"),
        ('class="best"', 5, "best of the others, case by case"),
    ]:
        yield dot(x + 6, y - 4, radius, attributes)
        yield text(x + 18, y, words)
        x += 46 + 6.6 * len(words)
    x = LEFT
    for _, words, colour in LIBRARIES:
        yield dot(x + 6, y + 18, 3.5, f'fill="{colour}"')
        yield text(x + 16, y + 22, words, "small")
        x += 34 + 6.6 * len(words)


def axis(bottom):
    for ratio in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0):
        kind = "memcpy" if ratio == 1.0 else "grid"
        x = place(ratio)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 4}" y2="{bottom}" class="{kind}"/>'
        yield text(x, bottom + 16, {1.0: "1 = memcpy", LEAST: f"{LEAST:g} or less"}.get(ratio, f"{ratio:g}"), "small", "middle")
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield text(middle, bottom + 38, "speed, as a multiple of memcpy's (geometric mean of the suite, logarithmic)", "", "middle")
    y = (TOP + bottom) / 2
    yield f'<text x="14" y="{y}" transform="rotate(-90 14 {y})" text-anchor="middle">suite</text>'


def row(y, suite, label, cases, means):
    yield text(LEFT - 14, y - 1, f"{suite} ({cases})", "", "end")
    yield text(LEFT - 14, y + 13, label, "small", "end")
    y += 3
    permc, best = place(means["permc"]), place(means["best_peer"])
    yield f'<line x1="{best:.1f}" x2="{permc:.1f}" y1="{y}" y2="{y}" class="gain"/>'
    for name, _, colour in LIBRARIES:
        if name in means:
            yield dot(place(means[name]), y, 3.5, f'fill="{colour}"')
    yield dot(best, y, 5, 'class="best"')
    yield dot(permc, y, 6, 'class="permc"')
    yield text(max(permc, best) + 11, y + 4, f"{means['permc']:.2f}", "small halo")


def draw(about, suites):
    rows = [(name, label) for name, label in SUITES if name in suites]
    if not rows:
        sys.exit("suites.py: no suite that is drawn; expected " + ", ".join(name for name, _ in SUITES))
    bottom = TOP + ROW * len(rows)
    shapes = [text(16, 28, "Permutations beside memcpy, one thread", "title"), text(16, 47, f"{about['machine']}; {about['date']}", "small")]
    shapes += legend(72)
    shapes += axis(bottom)
    for i, (name, label) in enumerate(rows):
        cases, means = suites[name]
        shapes += row(TOP + ROW * i + 16, name, label, cases, means)
    height = bottom + 52
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
        "<title>Speed of permc and other libraries beside memcpy, by suite</title>",
        f"<style>{STYLE}</style>", '<rect width="100%" height="100%" class="ground"/>', *shapes, "</svg>", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    picture = draw(*read(sys.argv[1]))
    with open(sys.argv[2], "w") as file:
        file.write(picture)


if __name__ == "__main__":
    main()
