"""Runs the commands of a page of documentation, as a reader would type them.

    run_page.py TREE BUILD WORK PAGE

Lines of code blocks that begin with "$ " are commands. They run in one shell, at
the top of a copy of the TREE in WORK, where build/release is BUILD, its tools are
on PATH and HOME is empty. What a block shows below a command must be printed by it, line by line;
"..." stands for any lines. A block of C, C++, YAML or CSV that begins with a
comment with a file's name is that file from there on.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

NAMED = re.compile(r"(?:/\*|//|#) ([\w-]+\.(?:c|cpp|yaml|csv))\b")


class Step:
    """A line of the shell's script, and what its output has to show."""

    def __init__(self, line, script):
        self.line, self.script, self.shown = line, script, []


def read_steps(text):
    steps, block, language = [], None, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if block is None:
                block, language = [], line[3:].strip()
                continue
            named = block and NAMED.match(block[0])
            if language and named:
                contents = "\n".join(block)
                script = f"cat > {named[1]} <<'END OF FILE'\n{contents}\nEND OF FILE"
                steps.append(Step(number, script))
            block = None
        elif block is not None:
            block.append(line)
            if line.startswith("$ "):
                steps.append(Step(number, line[2:]))
            elif not language and steps and block[0].startswith("$ "):
                steps[-1].shown.append(line)
    return steps


def copy_tree(tree, build, work):
    shutil.rmtree(work, ignore_errors=True)
    (work / "build").mkdir(parents=True)
    (work / "home").mkdir()
    for entry in tree.iterdir():
        if not entry.name.startswith((".", "build")):
            (work / entry.name).symlink_to(entry)
    (work / "build/release").symlink_to(build)


def missing_line(shown, printed):
    """The first line of `shown` that is not printed where it should be."""
    at, anywhere = 0, False
    for line in shown:
        if line.strip() == "...":
            anywhere = True
            continue
        rest = printed[at:] if anywhere else printed[at : at + 1]
        if line not in rest:
            return line
        at += rest.index(line) + 1
        anywhere = False
    return None


def main():
    tree, build, work = (Path(argument).resolve() for argument in sys.argv[1:4])
    page = tree / sys.argv[4]
    steps = read_steps(page.read_text())
    if not steps:
        sys.exit(f"{page.name}: no line begins with '$ '")
    copy_tree(tree, build, work)
    script = ["set -eo pipefail", f"work={shlex.quote(str(work))}"]
    for number, step in enumerate(steps):
        script.append(f'echo {number} > "$work/reached"')
        script.append(f'{{ {step.script}\n}} > "$work/out.{number}" 2>&1 < /dev/null')
    environment = dict(
        os.environ,
        HOME=str(work / "home"),
        PATH=f"{build}/bin:{os.environ['PATH']}",
    )
    code = subprocess.run(["bash", "-c", "\n".join(script)], cwd=work, env=environment).returncode
    last = int((work / "reached").read_text())
    for number, step in enumerate(steps[: last + 1]):
        output = (work / f"out.{number}").read_text()
        where = f"{page.name}:{step.line}: {step.script.splitlines()[0]}"
        if code != 0 and number == last:
            sys.exit(f"{where}\nfailed with {code}:\n{output}")
        absent = missing_line(step.shown, output.splitlines())
        if absent is not None:
            sys.exit(f"{where}\ndid not print {absent!r}; it printed:\n{output}")
    print(f"{page.name}: {len(steps)} commands and files")


main()
