"""What a report says of all layers together must be true of models of which
little is known: no sum without all its terms, and no 0 for what is unknown.

    totals.py PERMC
"""

import re
import sys
from pathlib import Path

from ir_model import Ir
from permc_runs import Permc

permc = Permc(sys.argv[1])


def model(name, static=0, dynamic=0, unordered=0, still=0, large=0):
    """A model with so many transposes of each kind."""
    ir = Ir()
    for i in range(static):
        ir.result(ir.transpose(ir.parameter([40, 30 + i]), [1, 0]))
    for i in range(dynamic):
        ir.result(ir.transpose(ir.parameter([-1, 3 + i]), [1, 0]))
    for i in range(unordered):
        ir.result(ir.layer("Transpose", [ir.parameter([6, 7 + i]), ir.parameter([2])], [-1, -1]))
    for i in range(still):
        ir.result(ir.transpose(ir.parameter([1, 8 + i]), [0, 1]))
    for i in range(large):
        ir.result(ir.transpose(ir.parameter([1 << 13, (1 << 14) + i]), [1, 0]))
    path = f"{name}.xml"
    ir.write(path)
    return path


def facts(path, *more):
    """The large figures of the page, by what stands below them."""
    page = path.replace(".xml", ".html")
    assert permc.run("explain", path, "--report", page, *more).returncode == 0
    text = Path(page).read_text()
    return {what: value for value, what in re.findall(r"<div><b>([^<]*)</b>([^<]*)</div>", text)}, text


def text(path, *more):
    shown = permc.run("explain", path, *more).stdout
    return shown[shown.index("in all\n"):].splitlines()[1].strip()


# All is known.
path = model("static", static=2, still=1)
total = permc.report(path)["total"]
assert total["bytes"] == (40 * 30 + 40 * 31) * 4, total
assert total["predicted_ns"] > 0 and total["measured_ns"] > 0 and total["steps_of_unknown_time"] == 0, total
assert total["at_least"] == {key: total[key] for key in ("bytes", "predicted_ns", "measured_ns")}, total
assert re.fullmatch(r"[\d.]+ [nu]s a run, of one thread, measured", text(path)), text(path)
shown, page = facts(path)
assert shown["bytes moved"] == "9760" and re.match(r"[\d.]+ ", shown["a run, one thread, measured"]), shown
assert "steps is not known" not in page

# Nothing is measured on another machine, and nothing predicted whose times nobody
# knows.
total = permc.report(path, "--target", "aarch64")["total"]
for times in (total, total["at_least"]):
    assert times["measured_ns"] is None and times["predicted_ns"] is None, total
assert total["bytes"] == (40 * 30 + 40 * 31) * 4 and total["steps_of_unknown_time"] == 2, total
assert text(path, "--target", "aarch64") == "unknown: the time of 2 of 3 steps is not known"

# What is much is predicted only.
path = model("large", large=1)
total = permc.report(path)["total"]
assert total["measured_ns"] is None and total["predicted_ns"] > 0 and total["steps_of_unknown_time"] == 0, total
assert text(path).endswith("a run, of one thread, predicted"), text(path)
assert "a run, one thread, predicted" in facts(path)[0]

# Nothing is known.
for path in (model("dynamic", dynamic=2), model("unordered", unordered=2), model("neither", dynamic=1, unordered=1)):
    report = permc.report(path)
    total = report["total"]
    empty = {"bytes": None, "predicted_ns": None, "measured_ns": None}
    assert total == {**empty, "at_least": empty, "steps_of_unknown_time": 2, "dominant": []}, total
    assert text(path) == "unknown: the time of 2 of 2 steps is not known", text(path)
    shown, page = facts(path)
    assert shown["a run, one thread"] == shown["bytes moved"] == "unknown", shown
    assert "The time of 2 of 2 steps is not known." in page
# The size of a tensor does not hang on its order.
assert [layer["bytes"] for layer in permc.report("unordered.xml")["layers"]] == [6 * 7 * 4, 6 * 8 * 4]

# Some is known.
path = model("mixed", static=1, dynamic=2, unordered=1, still=1)
total = permc.report(path)["total"]
assert [total[key] for key in ("bytes", "predicted_ns", "measured_ns")] == [None] * 3, total
least = total["at_least"]
assert least["bytes"] == 4800 and least["predicted_ns"] > 0 and least["measured_ns"] > 0, total
assert total["steps_of_unknown_time"] == 3 and len(total["dominant"]) == 1, total
assert re.fullmatch(r"at least [\d.]+ [nu]s a run, of one thread, measured: the time of 3 of 5 steps is not known",
                    text(path)), text(path)
explained = permc.run("explain", path).stdout
assert "%" not in explained[explained.index("in all\n"):], explained  # shares of what?
shown, page = facts(path)
assert shown["bytes moved"] == "at least 4800" and shown["a run, one thread, measured"].startswith("at least "), shown

# Nothing moves.
path = model("still", still=2)
total = permc.report(path)["total"]
assert [total[key] for key in ("bytes", "predicted_ns", "measured_ns", "steps_of_unknown_time")] == [0] * 4, total
assert text(path) == "nothing: no byte moves", text(path)
assert facts(path)[0]["bytes moved"] == "0"

print("all totals are honest")
