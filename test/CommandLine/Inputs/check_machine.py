"""check_machine.py FILE TABLE: whether a machine file is complete and can be true.

Every quantity of the table is in the file, with the same value.
"""

import re
import sys

rows = re.findall(r"^(\w+) +([0-9.e+]+) +(\w+) +(known|system|\+- \d+ %)", open(sys.argv[2]).read(), flags=re.M)
lines = re.findall(r"^(\w+): ([0-9.e+]+) +# (\w+): ", open(sys.argv[1]).read(), flags=re.M)
assert [row[:3] for row in rows if float(row[1])] == lines, (rows, lines)

value = {key: float(text) for key, text, _ in lines}
measured = {key for key, _, _, origin in rows if origin.startswith("+-")}
for key in """cycleNs l2Ns memoryNs memoryRandomNs writeBackNs streamedNs partialNs
              prefetchedStreams prefetchLead tlbPages tlbMissNs""".split():
    assert key in measured, f"{key} was not measured"
assert all(number > 0 for number in value.values()), value
assert value["cycleNs"] < value["memoryNs"] < value["memoryRandomNs"], value
assert value["l2Ns"] < value["memoryNs"], value
assert value["l1Bytes"] < value["l2Bytes"] <= value["l3Bytes"], value
assert 16 <= value["tlbPages"] <= 16384, value
