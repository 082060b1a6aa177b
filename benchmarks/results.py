"""Turns reports of permc-bench into tables:

  results.py REPORT.json... > results.md         to read
  results.py --csv REPORT.json... > RESULTS.csv  to keep in benchmarks/results

The first report's machine and date stand for all. Single cases are shown of
the project's own suites only, not of those that came with others' figures.
"""

import json
import sys


def figure(mean):
    return f"{mean['mean']:.2f} ({mean['worst']:.2f})" if mean else "-"


def summary(reports):
    suites = [suite for report in reports for suite in report["suites"]]
    hidden = {"memcpy", "recorded"}
    names = list(dict.fromkeys(n for s in suites for n in s["means"]))
    names = [n for n in names if n not in hidden and n != "best_peer"]
    names.append("best_peer")
    yield "| suite | cases | target | " + " | ".join(names).replace("_", " ") + " |"
    yield "|---|--:|--:|" + "--:|" * len(names)
    for suite in suites:
        row = [suite["suite"], str(suite["cases"])]
        row.append(f"{suite['target']:.2f}" if "target" in suite else "-")
        for name in names:
            text = figure(suite["means"].get(name))
            row.append(f"**{text}**" if name == "permc" else text)
        yield "| " + " | ".join(row) + " |"


def best_peer(case):
    others = {
        name: one["ratio"]
        for name, one in case["competitors"].items()
        if name not in ("memcpy", "permc", "streaming")
    }
    return max(others.items(), key=lambda item: item[1])


def case_row(case):
    peer, ratio = best_peer(case)
    shape = "x".join(map(str, case["shape"]))
    order = " ".join(map(str, case["perm"]))
    return (
        f"| {case['suite']}/{case['case']} | {shape}, {case['elem_bytes']} B "
        f"| {order} | {case['competitors']['permc']['ratio']:.2f} "
        f"| {ratio:.2f} {peer} |"
    )


def misses(cases):
    """Cases a peer of the same run does better, beyond noise."""
    for case in cases:
        own = case["competitors"]["permc"]
        peer, ratio = best_peer(case)
        other = case["competitors"][peer]
        if own["ratio"] < 0.95 * ratio and (
            own["median_ratio"] < 0.95 * other["median_ratio"]
        ):
            yield case


def table(title, cases):
    yield f"\n{title}\n"
    yield "| case | tensor | order | permc | best peer |"
    yield "|---|---|---|--:|---|"
    yield from map(case_row, cases)


def record(reports):
    """The means of the suites, as suites.py draws them."""
    first = reports[0]
    machine = first["machine"]
    yield f"# machine: {machine['cpu']}, {machine['caches']}"
    yield f"# date: {first['date']}"
    yield f"# run: {first['threads']} thread(s), target {first['target']}, {first['seconds_per_case']:g} s a case"
    yield "suite,cases,competitor,mean,worst"
    for suite in (suite for report in reports for suite in report["suites"]):
        for name, mean in suite["means"].items():
            if mean and name != "memcpy":
                yield f"{suite['suite']},{suite['cases']},{name},{mean['mean']:.3f},{mean['worst']:.3f}"


def main(arguments):
    paths = [path for path in arguments if path != "--csv"]
    if not paths:
        sys.exit(__doc__)
    reports = []
    for path in paths:
        with open(path) as file:
            reports.append(json.load(file))
    if "--csv" in arguments:
        print(*record(reports), sep="\n")
        return
    first = reports[0]
    machine = first["machine"]
    cases = [
        case
        for report in reports
        for case in report["cases"]
        if "recorded" not in case
    ]
    threads = f"{first['threads']} thread" + "s" * (first["threads"] != 1)
    print(
        f"{first['date']}: {machine['cpu']}, {machine['threads']} hardware threads, "
        f"{machine['caches']}; {machine['system']}; target {first['target']}, "
        f"{threads}, {first['seconds_per_case']:g} s a case.\n"
    )
    print("Geometric means, the worst case in brackets:\n")
    print(*summary(reports), sep="\n")
    worst = sorted(cases, key=lambda case: case["competitors"]["permc"]["ratio"])
    print(*table("The ten slowest cases:", worst[:10]), sep="\n")
    behind = list(misses(cases))
    title = f"Cases in which a peer is more than 5 % ahead, {len(behind)} of {len(cases)}:"
    if behind:
        print(*table(title, behind), sep="\n")
    code = max(case["text_bytes"] for case in cases)
    compile_ms = sorted(case["compile_ms"] for case in cases)
    print(
        f"\nThe largest kernel has {code} bytes of code. Compiling takes "
        f"{compile_ms[len(compile_ms) // 2]:.0f} ms in the median and "
        f"{compile_ms[-1]:.0f} ms at most."
    )


if __name__ == "__main__":
    main(sys.argv[1:])
