#!/usr/bin/env python3
"""Plants small changes of meaning in the sources and looks which tests notice.

    mutate.py BUILD_DIR [--count N] [--seed N] [--layers Plan,Frontend,...]
              [--log FILE] [--only ID,ID...] [--quick] [--idle] [--list]

A mutant is one change: an operator, a constant, a bound, a condition, a statement
that is dropped. All of them are planted at once, each behind a test of the
variable PERMC_MUTANT, so that the sources are compiled once and not once for each
mutant. A first run of the tests without any says how long each group of tests takes
and which mutants it reaches; then each mutant is chosen in turn, and the groups
that reach it run, the quickest first, until one fails. Folders of lit come last, and
have their first run when a mutant has survived all else. What no group notices has
survived: it is equivalent, or a test is missing. --quick leaves out folders of lit,
and groups that take longer than 20 s.

The sources must be as git has them, and are put back however the script ends. Use
a checkout of its own. Needs python3-clang-22. A log that is there already is gone on
with, if it is of the same mutants.
"""

import argparse
import json
import os
import pickle
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

# The choice among legal schedules: a change there changes speed, not bytes, and what
# makes a schedule illegal is refused by Legality.cpp and the --verify of tests.
# Schedules themselves are held by test/unit/Plan, which asks for speed.
CHOICES = """
Alternatives ChoosePanel ChooseSchedule ChooseVariants
Cost/Cost Cost/Footprint Cost/TileWork
PanelPrefetch Planner/Nests Planner/Rank ScheduleElements ScheduleLoops SchedulePanels
ScheduleRules ScheduleRuns ScheduleShuffles ScheduleStreams ScheduleTiles
ScheduleViews SearchTile ShortRows StreamedLoops
""".split()

# Groups of tests that cover each layer: programs of GoogleTest (one group for each
# of their suites), folders of lit, commands.
UNIT = "permc-unit-tests"
RUNTIME = [f"permc-rt-{name}-tests"
           for name in "plan parts stream lines strided registry".split()]
TESTS = {
    "Frontend": (
        [(UNIT, "Frontend*"), (UNIT, "Fuzz*")],
        ["CommandLine", "Models"],
        [["fuzz-spelling", 1200], ["fuzz-manifest", 120], ["fuzz-npy", 800]],
    ),
    "Plan": (
        [(UNIT, "*-Frontend*:Measure*:Host*"), ("permc-rt-plan-tests", "*")],
        ["Dialect", "Transforms", "X86", "arm/test"],
        [["permc-fuzz", "--seed=1", "--cases=300", "--jobs=1"]],
    ),
    "Transforms": (
        [(UNIT, "*Kernel*:*Streamed*:Verify*:Prove*:Jit*:Compiler*")],
        ["Transforms", "Dialect", "MLIR", "X86", "Execution", "arc/test", "arm/test",
         "c/test"],
        [["permc-fuzz", "--seed=1", "--cases=300", "--jobs=1"]],
    ),
    "Lowering": (
        [(UNIT, "*Kernel*:*Streamed*:Verify*:Prove*:Jit*:Compiler*")],
        ["Transforms", "Dialect", "X86", "arc/test", "arm/test", "c/test"],
        [["permc-fuzz", "--seed=1", "--cases=300", "--jobs=1"]],
    ),
    "Runtime": (
        [(name, "*") for name in [*RUNTIME, "permc-rt-tests"]],
        [],
        [
            ["permc-rt-random", 1500],
            ["permc-rt-jit-tests", "lib/libpermc.so",
             "test/Runtime/libpermc-rt-fake-jit.so"],
            ["fuzz-runtime", 3000],
            ["permc-fuzz", "--seed=1", "--cases=150", "--targets=shim", "--jobs=1"],
        ],
    ),
}

OPERATORS = {
    "<": ["<=", ">="],
    "<=": ["<", ">"],
    ">": [">=", "<="],
    ">=": [">", "<"],
    "==": ["!="],
    "!=": ["=="],
    "&&": ["||"],
    "||": ["&&"],
    "+": ["-"],
    "-": ["+"],
    "*": ["+"],
    "/": ["*"],
    "%": ["/"],
    "&": ["|"],
    "|": ["&"],
    "<<": [">>"],
    ">>": ["<<"],
    "+=": ["-="],
    "-=": ["+="],
    "*=": ["+="],
    "|=": ["&="],
    "&=": ["|="],
}

HEADER = """#ifndef PERMC_MUTANTS_H
#define PERMC_MUTANTS_H
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
namespace permc_mutants {
struct State {
  int chosen = -1;
  unsigned char *reached = nullptr;
};
inline State load() {
  State state;
  if (const char *chosen = std::getenv("PERMC_MUTANT"))
    state.chosen = std::atoi(chosen);
  // One byte for each mutant, shared by all processes of a test.
  if (const char *path = std::getenv("PERMC_MUTANTS_REACHED")) {
    const int file = ::open(path, O_RDWR | O_CLOEXEC);
    void *bytes = ::mmap(nullptr, COUNT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (bytes != MAP_FAILED)
      state.reached = static_cast<unsigned char *>(bytes);
  }
  return state;
}
inline bool on(int id) {
  static const State state = load();
  if (state.reached)
    state.reached[id] = 1;
  return state.chosen == id;
}
} // namespace permc_mutants
#endif
"""


class Mutant:
    """One change of the bytes `begin` to `end` of a file."""

    def __init__(self, path, line, begin, end, old, new, kind):
        self.path, self.line, self.begin, self.end = path, line, begin, end
        self.old, self.new, self.kind = old, new, kind
        self.id = None

    def __str__(self):
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.path}:{self.line}: {old} -> {new}"

    def planted(self):
        on = f"permc_mutants::on({self.id})"
        if self.kind == "dropped":
            return f"if (!{on}) {self.old}"
        old = f"bool({self.old})" if self.kind == "condition" else f"({self.old})"
        return f"({on} ? ({self.new}) : {old})"


class Finder:
    """All mutants of one file, by clang's syntax tree."""

    def __init__(self, path, tree, text, cindex):
        self.path, self.text, self.found = path, text, []
        self.Kind = cindex.CursorKind
        self.Type = cindex.TypeKind
        # Nothing of a macro is changed: assertions, mostly.
        self.macros = [
            (cursor.extent.start.offset, cursor.extent.end.offset)
            for cursor in tree.cursor.get_children()
            if cursor.kind == self.Kind.MACRO_INSTANTIATION and self.is_here(cursor)
        ]
        for cursor in tree.cursor.get_children():
            if not cursor.kind.is_preprocessing() and self.is_here(cursor):
                self.walk(cursor)

    def is_here(self, cursor):
        place = cursor.location.file
        return place is not None and Path(place.name).name == self.path.name

    def text_of(self, cursor):
        begin, end = cursor.extent.start.offset, cursor.extent.end.offset
        return self.text[begin:end].decode()

    def add(self, cursor, new, kind="changed", end=None):
        begin = cursor.extent.start.offset
        end = end or cursor.extent.end.offset
        if any(first < end and begin < last for first, last in self.macros):
            return
        old = self.text[begin:end].decode()
        line = cursor.extent.start.line
        self.found.append(Mutant(self.path, line, begin, end, old, new, kind))

    def walk(self, cursor):
        kind, Kind = cursor.kind, self.Kind
        if kind in (Kind.STATIC_ASSERT, Kind.ENUM_DECL, Kind.CASE_STMT):
            if kind == Kind.CASE_STMT:
                for child in list(cursor.get_children())[1:]:
                    self.walk(child)
            return
        children = list(cursor.get_children())
        if kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR):
            self.binary(cursor, *children)
        elif kind == Kind.UNARY_OPERATOR and self.text_of(cursor).startswith("!"):
            self.add(cursor, f"bool({self.text_of(cursor)[1:]})")
        elif kind == Kind.INTEGER_LITERAL:
            self.literal(cursor)
        elif kind == Kind.CXX_BOOL_LITERAL_EXPR:
            self.add(cursor, "false" if self.text_of(cursor) == "true" else "true")
        elif kind == Kind.CALL_EXPR:
            self.call(cursor)
        elif kind == Kind.IF_STMT:
            self.condition(children[0])
        elif kind == Kind.COMPOUND_STMT:
            for child in children:
                self.statement(child)
        for child in children:
            # Not the bounds of arrays.
            if not (kind == Kind.VAR_DECL and child.kind == Kind.INTEGER_LITERAL
                    and cursor.type.kind == self.Type.CONSTANTARRAY):
                self.walk(child)

    def binary(self, cursor, left, right):
        begin = cursor.extent.start.offset
        middle = self.text[left.extent.end.offset : right.extent.start.offset].decode()
        operator = re.sub(r"//.*", "", middle).strip("() \n")
        isPointer = self.Type.POINTER in (
            left.type.get_canonical().kind, right.type.get_canonical().kind)
        if isPointer and operator not in ("==", "!="):
            return
        at = left.extent.end.offset - begin + middle.find(operator)
        old = self.text_of(cursor)
        for other in OPERATORS.get(operator, []):
            self.add(cursor, old[:at] + other + old[at + len(operator):])

    def literal(self, cursor):
        text = self.text_of(cursor)
        if re.fullmatch(r"\d+", text):
            self.add(cursor, f"{text} + 1")
            if int(text) > 1:
                self.add(cursor, f"{text} - 1")

    def call(self, cursor):
        match = re.match(r"std::(min|max)\b", self.text_of(cursor))
        if match:
            other = "max" if match[1] == "min" else "min"
            self.add(cursor, f"std::{other}" + self.text_of(cursor)[8:])

    def condition(self, cursor):
        Kind = self.Kind
        if cursor.kind in (Kind.CALL_EXPR, Kind.DECL_REF_EXPR, Kind.UNEXPOSED_EXPR,
                           Kind.MEMBER_REF_EXPR):
            self.add(cursor, f"!({self.text_of(cursor)})", "condition")

    def statement(self, cursor):
        Kind = self.Kind
        wanted = (Kind.CALL_EXPR, Kind.BINARY_OPERATOR, Kind.UNEXPOSED_EXPR,
                  Kind.COMPOUND_ASSIGNMENT_OPERATOR)
        text = self.text_of(cursor)
        # Room that is set aside, and what is prefetched, change speed only.
        if cursor.kind in wanted and not re.search(r"\breserve\(|prefetch", text):
            self.add(cursor, "dropped", "dropped")


def compile_commands(build):
    """The arguments of each source, but for those about its output."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])[1:]
        at = words.index("-o")
        words = words[:at] + words[at + 2 :]
        commands.setdefault(entry["file"], [w for w in words if w not in ("-c", entry["file"])])
    return commands


def find_mutants(layer, commands, root):
    """Those of a layer; of lib/Plan, of what must be right for bytes to be."""
    sys.path.append("/usr/lib/python3/dist-packages")
    from clang import cindex

    if not cindex.Config.loaded:
        cindex.Config.set_library_file("/usr/lib/llvm-22/lib/libclang-22.so.1")
    found = []
    for path in sorted((root / "lib" / layer).rglob("*.cpp")):
        name = str(path.relative_to(root / "lib/Plan").with_suffix("")) if layer == "Plan" else ""
        if name in CHOICES or str(path) not in commands:
            continue
        # What is precompiled can only be read by the compiler that made it.
        arguments = shlex.split(
            re.sub(r"-Xclang -include-pch -Xclang \S+|-Xclang -fno-pch-timestamp", "",
                   shlex.join(commands[str(path)])))
        arguments += ["-resource-dir", "/usr/lib/llvm-22/lib/clang/22"]
        tree = cindex.Index.create().parse(
            str(path), arguments,
            options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        errors = [d for d in tree.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if errors:
            sys.exit(f"{path} is not read: {errors[0]}")
        found += Finder(path.relative_to(root), tree, path.read_bytes(), cindex).found
    return found


def read_layer(layer, commands, root, build):
    """The mutants of a layer, kept for the next time: reading takes minutes."""
    commit = subprocess.run(["git", "rev-parse", f"HEAD:lib/{layer}"],
                            capture_output=True, text=True).stdout
    kept = build / f"mutants-{commit.strip()}.pickle"
    if not kept.exists():
        kept.write_bytes(pickle.dumps(find_mutants(layer, commands, root)))
    return pickle.loads(kept.read_bytes())


def sample(mutants, count, generator):
    """Some of them, no two at the same place."""
    taken = []
    for mutant in generator.sample(mutants, len(mutants)):
        if len(taken) == count:
            break
        if not any(other.path == mutant.path and other.begin < mutant.end
                   and mutant.begin < other.end for other in taken):
            taken.append(mutant)
    return taken


def plant(path, mutants, text, header):
    """Writes a file with its mutants."""
    for mutant in sorted(mutants, key=lambda m: -m.begin):
        text = text[: mutant.begin] + mutant.planted().encode() + text[mutant.end :]
    path.write_bytes(f'#include "{header}"\n'.encode() + b"#line 1\n" + text)


def plant_all(root, mutants, commands, header):
    """Plants what compiles and returns it; drops constants of types, for example."""
    planted = []
    for name in sorted({mutant.path for mutant in mutants}):
        path, text = root / name, (root / name).read_bytes()
        here = [mutant for mutant in mutants if mutant.path == name]
        while here:
            plant(path, here, text, header)
            words = [w for w in commands[str(path)] if not w.startswith("-W")]
            done = subprocess.run(
                ["clang++-22", *words, "-fsyntax-only", "-ferror-limit=0", "-w", str(path)],
                cwd=commands["cwd"], capture_output=True, text=True)
            if done.returncode == 0:
                break
            # The one that is nearest to the first error.
            number = int(re.search(rf"{name.name}:(\d+):\d+: (?:fatal )?error", done.stderr)[1])
            wrong = min(here, key=lambda mutant: abs(mutant.line - number)).id
            here = [mutant for mutant in here if mutant.id != wrong]
        if not here:
            path.write_bytes(text)
        planted += here
    return planted


class Group:
    """Tests that run together."""

    def __init__(self, name, command):
        self.name, self.command = name, command
        self.seconds, self.reached = None, set()  # not measured yet
        self.is_slow = name.startswith("lit ")

    def run(self, build, environment, cpu_seconds):
        """Whether it passes, within its time of the CPU: frozen machines do not count."""

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
            resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        process = subprocess.Popen(
            self.command, cwd=build, env={**os.environ, **environment},
            preexec_fn=limit, start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return process.wait(timeout=3600) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def groups_of(layer, build, root, lit, known):
    """The groups of a layer; those of an earlier layer are known by their name."""
    programs, folders, commands = TESTS[layer]
    groups = []

    def add(name, command):
        groups.append(known.setdefault(name, Group(name, command)))

    for program, filters in programs:
        listed = subprocess.run(
            [f"bin/{program}", "--gtest_list_tests", f"--gtest_filter={filters}"],
            cwd=build, capture_output=True, text=True).stdout
        for suite in re.findall(r"^(\S+)\.(?:\s|$)", listed, re.M):
            add(f"{program} {suite}",
                [f"bin/{program}", f"--gtest_filter={suite}.*", "--gtest_fail_fast"])
    for program, *arguments in commands:
        words = list(map(str, arguments))
        if program.startswith("fuzz-"):
            corpus = root / "test/fuzz/corpus" / program.removeprefix("fuzz-")
            words += sorted(map(str, corpus.iterdir()))
        add(f"{program} {' '.join(map(str, arguments))}", [f"bin/{program}", *words])
    for folder in folders:
        add(f"lit {folder}", [lit, "-q", "-j1", "--max-failures=1", "test",
                              "codegen_targets", "--filter",
                              f"^(permc(-targets)? :: )?{folder}/"])
    return groups


def measure(group, build, count, seconds=1800):
    """Runs a group once without a mutant. One that fails then reaches nothing."""
    if group.seconds is not None:
        return
    reached = build / "mutants-reached"
    reached.write_bytes(bytes(count))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    succeeded = group.run(build, {"PERMC_MUTANTS_REACHED": str(reached)}, seconds)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    group.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if succeeded:
        group.reached = {i for i, byte in enumerate(reached.read_bytes()) if byte}
    else:
        why = "fails without a mutant" if group.seconds < seconds - 1 else "takes too long"
        print(f"{why}, left out: {group.name}", flush=True)


def judge(mutant, groups, build, count):
    """The verdict of the groups that reach a mutant."""
    tried = 0
    for group in sorted(groups, key=lambda g: (g.is_slow, g.seconds or 0)):
        measure(group, build, count)
        if mutant.id not in group.reached:
            continue
        tried += 1
        if not group.run(build, {"PERMC_MUTANT": str(mutant.id)}, int(10 + 8 * group.seconds)):
            return f"killed by {group.name}"
    return f"survived {tried} groups" if tried else "survived, reached by no test"


def known_verdicts(log):
    """What a log says of mutants, by their text."""
    if not log or not log.exists():
        return {}
    lines = (line.split("\t") for line in log.read_text().splitlines())
    return {fields[2]: fields[0] for fields in lines if len(fields) == 3}


def work_through(layers, mutants, build, root, lit, log, only, quick):
    verdicts = known_verdicts(log)
    counts, known, last = {}, {}, 1 + mutants[-1].id
    for layer in layers:
        chosen = [m for m in mutants if m.path.parts[1] == layer]
        todo = [m for m in chosen if str(m) not in verdicts and (not only or m.id in only)]
        groups = groups_of(layer, build, root, lit, known) if todo else []
        groups = [group for group in groups if not (quick and group.is_slow)]
        for group in groups:
            if not group.is_slow:
                measure(group, build, last, 20 if quick else 1800)
        for mutant in chosen:
            verdict = verdicts.get(str(mutant))
            if mutant in todo:
                begin = time.monotonic()
                verdict = judge(mutant, groups, build, last)
                line = f"{verdict}\t#{mutant.id} {time.monotonic() - begin:.0f} s\t{mutant}"
                print(line, flush=True)
                if log:
                    with log.open("a") as file:
                        file.write(line + "\n")
            if verdict:
                counts.setdefault(layer, []).append(verdict.startswith("killed"))
    for layer, killed in counts.items():
        print(f"{layer}: {sum(killed)} of {len(killed)} killed")
    total = [value for killed in counts.values() for value in killed]
    print(f"all: {sum(total)} of {len(total)} killed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--count", type=int, default=240, help="of all layers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layers", default=",".join(TESTS))
    parser.add_argument("--log", type=Path)
    parser.add_argument("--only", default="", help="numbers of mutants")
    parser.add_argument("--quick", action="store_true", help="quick tests only")
    parser.add_argument("--idle", action="store_true", help="run tests in idle time only")
    parser.add_argument("--list", action="store_true", help="only show them")
    options = parser.parse_args()
    root, build = Path.cwd(), options.build.resolve()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    changed = subprocess.run(["git", "status", "--porcelain", "lib"],
                             capture_output=True, text=True).stdout
    if changed:
        sys.exit(f"these files are not committed:\n{changed}")
    commands = compile_commands(build)
    commands["cwd"] = build
    layers, mutants, possible = options.layers.split(","), [], 0
    for layer in layers:
        found = read_layer(layer, commands, root, build)
        possible += len(found)
        mutants += sample(found, options.count // len(layers),
                          random.Random(f"{options.seed} {layer}"))
    for number, mutant in enumerate(mutants):
        mutant.id = number
    print(f"{len(mutants)} of {possible} possible mutants", flush=True)
    if options.list:
        print(*(f"#{m.id} {m}" for m in mutants), sep="\n")
        return
    cache = (build / "CMakeCache.txt").read_text()
    lit = re.search(r"^PERMC_LIT:\w+=(.*)$", cache, re.M)[1]
    header = build / "permc_mutants.h"
    header.write_text(HEADER.replace("COUNT", str(len(mutants))))
    try:
        mutants = plant_all(root, mutants, commands, header)
        print(f"{len(mutants)} of them compile", flush=True)
        targets = {"permc", "permc-opt"}
        for programs, _, tests in (TESTS[layer] for layer in layers):
            targets |= {name for name, *_ in [*programs, *tests]}
        if "permc-rt-jit-tests" in targets:
            targets |= {"permcShared", "permc-rt-fake-jit"}
        subprocess.run(["cmake", "--build", str(build), "--target", *sorted(targets)],
                       check=True, stdout=subprocess.DEVNULL)
        if options.idle:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        work_through(layers, mutants, build, root, lit, options.log,
                     {int(number) for number in options.only.split(",") if number},
                     options.quick)
    finally:
        subprocess.run(["git", "checkout", "--quiet", "--", "lib"], check=True)


main()
