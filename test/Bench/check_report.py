"""Checks that a report of permc-bench holds together

check_report.py JSON [DST_OFFSET]
"""

import json
import math
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)

for key in ["date", "target", "naive_compiler"]:
    assert isinstance(report[key], str), key
for key in ["cpu", "caches", "system"]:
    assert isinstance(report["machine"][key], str), key

assert report["dst_offset"] == int((sys.argv[2:] or [0])[0])

ratios = {}
for case in report["cases"]:
    size = case["elem_bytes"] * math.prod(case["shape"])
    assert case["bytes"] == size, case["case"]
    assert sorted(case["perm"]) == list(range(len(case["shape"])))
    assert case["text_bytes"] > 0 and case["compile_ms"] > 0
    assert case["schedule"].startswith("#permc.schedule<")
    competitors = case["competitors"]
    assert {"memcpy", "permc", "naive"} <= competitors.keys()
    for name, one in competitors.items():
        assert one["samples"] >= 1
        assert 0 < one["best_seconds"] <= one["median_seconds"]
        assert one["median_ratio"] > 0
        expected = competitors["memcpy"]["best_seconds"] / one["best_seconds"]
        assert math.isclose(one["ratio"], expected, rel_tol=1e-6)
        ratios.setdefault((case["suite"], name), []).append(one["ratio"])

for suite in report["suites"]:
    count = sum(case["suite"] == suite["suite"] for case in report["cases"])
    assert suite["cases"] == count > 0
    for name in ["memcpy", "permc", "naive"]:
        mean, own = suite["means"][name], ratios[suite["suite"], name]
        expected = math.exp(sum(map(math.log, own)) / len(own))
        assert math.isclose(mean["mean"], expected, rel_tol=1e-6)
        assert math.isclose(mean["worst"], min(own), rel_tol=1e-6)
