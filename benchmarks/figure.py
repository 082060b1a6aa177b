"""Draws the README's figure from a report of permc-bench:

  figure.py REPORT.json FIGURE.svg
  figure.py --filter            a --filter for permc-bench that measures its cases

Ten layouts that everybody knows: for each permc's kernel, the fastest library
of the report, and memcpy of as many bytes.
"""

import json
import sys
from html import escape

# The case of a suite, and what people call it.
LAYOUTS = [
    ("vision/hwc_to_chw_u8_1080p", "HWC to CHW, 1080p, u8"),
    ("vision/chw_to_hwc_u8_1080p", "CHW to HWC, 1080p, u8"),
    ("vision/hwc_to_chw_f32_224", "HWC to CHW, 224x224, f32"),
    ("vision/nchw_to_nhwc_f32_32x56_c64", "NCHW to NHWC, 32x64x56x56, f32"),
    ("vision/nhwc_to_nchw_f16_16x28_c256", "NHWC to NCHW, 16x28x28x256, f16"),
    ("vision/pixel_shuffle_f32_r2", "pixel shuffle by 2, 64x256x256, f32"),
    ("attention/bshd_to_bhsd_f16_8x128x12x64", "split heads, 8x128x12x64, f16"),
    ("attention/qkv_split_f32_8x197x3x12x64", "split QKV, 8x197x3x12x64, f32"),
    ("attention/k_transpose_f32_4x16x1024x64", "transpose K, 4x16x1024x64, f32"),
    ("attention/weights_f32_4096x4096", "transpose 4096x4096, f32"),
]
NO_LIBRARIES = {"permc", "memcpy", "streaming", "naive", "recorded", "best_peer"}

LEFT, RIGHT, TOP, ROW, WIDTH = 268, 84, 92, 44, 900
BAR = 13


def speeds(case):
    """What is drawn of a case: (name, times memcpy's speed) of permc and of the
    fastest library, if one took part; and memcpy's GB/s."""
    competitors = case["competitors"]
    ratios = {name: each["ratio"] for name, each in competitors.items()}
    libraries = {name: ratio for name, ratio in ratios.items() if name not in NO_LIBRARIES}
    best = max(libraries, key=libraries.get, default=None)
    gbps = 2 * case["bytes"] / competitors["memcpy"]["best_seconds"] / 1e9
    return ratios["permc"], (best, libraries.get(best)), gbps


class Svg:
    def __init__(self):
        self.shapes = []

    def text(self, x, y, words, kind="", anchor="start"):
        self.shapes.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>')

    def bar(self, x, y, width, kind):
        self.shapes.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BAR}" rx="2" class="{kind}"/>')

    def line(self, x, top, bottom, kind):
        self.shapes.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" class="{kind}"/>')

    def finish(self, height):
        # Both colour schemes, with grounds of their own: the page's is not known.
        style = """
  text { font: 13px Inter, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #24292f }
  .title { font-size: 17px; font-weight: 600 } .small { font-size: 11.5px; fill: #57606a }
  .ground { fill: #ffffff } .halo { paint-order: stroke; stroke: #ffffff; stroke-width: 4px } .permc { fill: #0b7a75 } .library { fill: #e08e2b }
  .grid { stroke: #d8dee4 } .memcpy { stroke: #24292f; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9aa4af } .ground { fill: #0d1117 } .halo { stroke: #0d1117 } .permc { fill: #2fb5a8 }
    .library { fill: #d9822b } .grid { stroke: #2b323a } .memcpy { stroke: #e6edf3 }
  }
"""
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
            "<title>Speed of permc and of the fastest library beside memcpy</title>",
            f"<style>{style}</style>", '<rect width="100%" height="100%" class="ground"/>', *self.shapes, "</svg>", ""])


def draw(report):
    cases = {f"{case['suite']}/{case['case']}": case for case in report["cases"]}
    rows = [(label, *speeds(cases[name])) for name, label in LAYOUTS if name in cases]
    if not rows:
        sys.exit("figure.py: the report has none of the layouts; expected " + ", ".join(name for name, _ in LAYOUTS))
    most = max([1.0] + [ratio for _, permc, (_, library), _ in rows for ratio in (permc, library or 0)])
    scale = (WIDTH - LEFT - RIGHT) / most
    bottom = TOP + ROW * len(rows)
    svg = Svg()
    svg.text(16, 28, "Everyday layouts: permc, the fastest library, memcpy", "title")
    for x, kind, words in ((16, "permc", "permc"), (90, "library", "the fastest library that can do it")):
        svg.bar(x, 43, BAR, kind)
        svg.text(x + 20, 54, words)
    svg.text(WIDTH - 16, 54, "longer is faster", "small", "end")
    step = 0.25 if most <= 2.5 else 0.5
    for i in range(int(most / step) + 1):
        x = LEFT + i * step * scale
        svg.line(x, TOP - 6, bottom, "grid")
        svg.text(x, bottom + 16, f"{i * step:g}", "small", "middle")
    for i, (label, permc, (name, library), gbps) in enumerate(rows):
        y = TOP + ROW * i
        svg.text(LEFT - 12, y + 14, label, "", "end")
        svg.text(LEFT - 12, y + 29, f"memcpy: {gbps:.0f} GB/s", "small", "end")
        svg.bar(LEFT, y + 2, permc * scale, "permc")
        if library:
            svg.bar(LEFT, y + 18, library * scale, "library")
    svg.line(LEFT + scale, TOP - 10, bottom, "memcpy")
    svg.text(LEFT + scale, TOP - 15, "memcpy", "small", "middle")
    for i, (_, permc, (name, library), _) in enumerate(rows):
        y = TOP + ROW * i
        svg.text(LEFT + permc * scale + 6, y + 13, f"{permc:.2f}", "small halo")
        if library:
            svg.text(LEFT + library * scale + 6, y + 29, f"{library:.2f} {name}", "small halo")
    svg.text((LEFT + WIDTH - RIGHT) / 2, bottom + 36, "speed, as a multiple of that of memcpy of as many bytes", "", "middle")
    machine = report.get("machine", {})
    svg.text((LEFT + WIDTH - RIGHT) / 2, bottom + 56, f"one thread, {machine.get('cpu', 'this machine')}", "small", "middle")
    return svg.finish(bottom + 70)


def main():
    if sys.argv[1:] == ["--filter"]:
        print("^(" + "|".join(name for name, _ in LAYOUTS) + ")$")
    elif len(sys.argv) == 3:
        with open(sys.argv[1]) as file:
            picture = draw(json.load(file))
        with open(sys.argv[2], "w") as file:
            file.write(picture)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
