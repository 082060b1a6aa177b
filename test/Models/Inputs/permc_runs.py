"""What the tests of models ask of the permc tool."""

import json
import re
import subprocess
from pathlib import Path


class Permc:
    def __init__(self, tool):
        self.tool = tool

    def run(self, *arguments):
        return subprocess.run([self.tool, *map(str, arguments)], capture_output=True, text=True)

    def report(self, model, *more):
        """The JSON of a model that must be read."""
        made = self.run("explain", model, "--report", "-", *more)
        assert made.returncode == 0, f"{model}: {made.stderr}"
        return json.loads(made.stdout)

    def layers(self, model):
        return {layer["name"]: layer for layer in self.report(model)["layers"]}

    def refused(self, model, *patterns):
        """The model must be refused with a message that has all patterns, and
        nothing may be left behind."""
        before = set(Path(".").iterdir())
        made = self.run("compile", model, "-o", "refused.a", "--header", "refused.h",
                        "--report", "refused.json")
        assert made.returncode == 1, f"{model}: exit code {made.returncode}: {made.stderr}"
        assert "crashed" not in made.stderr, made.stderr
        for pattern in (*patterns, re.escape(str(model))):
            assert re.search(pattern, made.stderr), f"{model}: no '{pattern}' in: {made.stderr}"
        assert set(Path(".").iterdir()) == before, f"{model}: files were left"


def expect(layer, **fields):
    for key, value in fields.items():
        assert layer.get(key) == value, f"{layer['name']}: {key} is {layer.get(key)}, expected {value}"
