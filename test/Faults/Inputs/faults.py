"""Takes something away from permc, or ends it, and looks at what is left.

    faults.py PERMC kill object|library|cache COUNT
    faults.py PERMC interrupt COUNT
    faults.py PERMC disk
    faults.py PERMC cache
    faults.py PERMC memory
    faults.py PERMC threads
    faults.py PERMC tools

Each prints one line that ends with "ok", or why it could not be tried.
"""

import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

permc = sys.argv[1]
random.seed(1)

TENSOR = ["96x64x3xu8", "--perm", "2,0,1"]


def run(*words, **options):
    return subprocess.run(
        [permc, *words], capture_output=True, text=True, timeout=120, **options
    )


def fail(what, done=None):
    print(f"WRONG: {what}")
    if done is not None:
        print(f"exit code {done.returncode}: {done.stdout}{done.stderr}")
    sys.exit(1)


def compile_words(kind):
    if kind == "object":
        return ["compile", *TENSOR, "--target", "x86-64", "--name", "k", "-o", "out.o"]
    Path("kernels.yaml").write_text(
        "target: x86-64\nkernels:\n"
        + "".join(
            f"  - {{name: k{i}, tensor: {i + 8}x64x3xu8, perm: '2,0,1'}}\n"
            for i in range(6)
        )
    )
    return ["compile", "--manifest", "kernels.yaml", "-o", "out.a"]


def end_at_random(words, how, longest, environment=None):
    """Starts permc and ends it; whether it was still running."""
    process = subprocess.Popen(
        [permc, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    time.sleep(random.uniform(0, longest))
    running = process.poll() is None
    process.send_signal(how)
    process.wait()
    return running


def time_of(words, environment=None):
    begin = time.monotonic()
    done = run(*words, env=environment)
    if done.returncode:
        fail(" ".join(words), done)
    return time.monotonic() - begin


def kill_writers(kind, count):
    """What is there after a kill is nothing, or what was there, or all."""
    words = compile_words(kind)
    out = Path(words[-1])
    longest = 1.1 * time_of(words)
    whole, early, ended = out.read_bytes(), b"before", 0
    for i in range(count):
        out.unlink(missing_ok=True)
        if i % 2:
            out.write_bytes(early)
        ended += end_at_random(words, signal.SIGKILL, longest)
        found = out.read_bytes() if out.exists() else None
        if found not in (whole, early if i % 2 else None):
            fail(f"{out} has {len(found or b'')} bytes; expected {len(whole)}")
        for left in Path(".").glob(out.name + ".tmp*"):
            left.unlink()
    if run(*words).returncode or out.read_bytes() != whole:
        fail("the next run does not work")
    print(f"{kind}: killed {ended} of {count} times while it ran: ok")


def kill_caches(count):
    """The next process finds a cache that it can use."""
    environment = dict(os.environ, PERMC_CACHE_DIR=os.path.abspath("cache"))
    source = bytes(random.randrange(256) for _ in range(96 * 64 * 3))
    Path("in.raw").write_bytes(source)
    words = ["run", *TENSOR, "in.raw", "out.raw"]
    longest = 1.1 * time_of(words, environment)
    expected = Path("out.raw").read_bytes()
    ended = 0
    for i in range(count):
        shutil.rmtree("cache", ignore_errors=True)
        Path("out.raw").unlink(missing_ok=True)
        ended += end_at_random(words, signal.SIGKILL, longest, environment)
        if Path("out.raw").exists() and Path("out.raw").read_bytes() != expected:
            fail("half a tensor was written")
        if i % 10 == 0:
            done = run(*words, env=environment)
            if done.returncode or Path("out.raw").read_bytes() != expected:
                fail("the next run does not work", done)
    print(f"cache: killed {ended} of {count} times while it ran: ok")


def interrupt(count):
    """Ctrl-C leaves no temporary file behind."""
    words = compile_words("library")
    longest = 1.1 * time_of(words)
    before = sorted(os.listdir("."))
    ended = 0
    for _ in range(count):
        ended += end_at_random(words, signal.SIGINT, longest)
        if sorted(os.listdir(".")) != before:
            fail(f"left behind: {sorted(set(os.listdir('.')) - set(before))}")
    print(f"interrupted {ended} of {count} times while it ran: ok")


def in_mount(options, commands):
    """Runs a script beside a file system of its own, mounted on ./disk."""
    Path("disk").mkdir(exist_ok=True)
    mount = f"mount -t tmpfs -o {options} none disk"
    who = [] if os.getuid() == 0 else ["--map-root-user"]
    probe = subprocess.run(
        ["unshare", "--mount", *who, "sh", "-c", mount], capture_output=True, text=True
    )
    if probe.returncode:
        print(f"not tried: a file system cannot be mounted here: {probe.stderr.strip()}")
        sys.exit(0)
    return subprocess.run(
        ["unshare", "--mount", *who, "sh", "-c", f"{mount} && {commands}"],
        capture_output=True,
        text=True,
        timeout=120,
    )


def disk():
    words = " ".join(compile_words("object")[:-1])
    # Filled to the last page, or never writable.
    for name, options, prepare in [
        ("full", "size=64k", "dd if=/dev/zero of=disk/filler bs=4k 2>/dev/null;"),
        ("read-only", "size=64k", "mount -o remount,ro none disk;"),
    ]:
        done = in_mount(
            options,
            f"{prepare} before=$(ls disk); {permc} {words} disk/out.o; code=$?;"
            ' test "$before" = "$(ls disk)" || { echo left: $(ls disk); exit 9; };'
            " exit $code",
        )
        if done.returncode != 1 or "cannot write 'disk/out.o'" not in done.stderr:
            fail(f"a {name} disk", done)
    print("full and read-only disks: ok")


def cache():
    """A cache that cannot be written is done without, and no error."""
    Path("in.raw").write_bytes(bytes(96 * 64 * 3))
    words = " ".join(["run", *TENSOR, "in.raw", "out.raw"])
    for name, prepare in [
        ("full", "dd if=/dev/zero of=disk/filler bs=4k 2>/dev/null;"),
        ("read-only", "mount -o remount,ro none disk;"),
    ]:
        done = in_mount(
            "size=64k,mode=700",
            f"{prepare} PERMC_CACHE_DIR=$PWD/disk {permc} {words} && ls -A disk",
        )
        kept = done.stdout.split("\n", 1)[-1].split()
        if done.returncode or [name for name in kept if name != "filler"]:
            fail(f"a {name} cache", done)
    print("full and read-only caches: ok")


def memory():
    """With ever less address space: it works, or fails without half a file."""
    words = compile_words("object")
    outcomes = {"works": 0, "fails": 0}
    for megabytes in [20, 60, 100, 150, 200, 250, 300, 350, 400, 500, 700, 1000]:
        Path("out.o").unlink(missing_ok=True)
        bytes_ = megabytes << 20
        done = run(
            *words,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_)),
        )
        works = done.returncode == 0
        outcomes["works" if works else "fails"] += 1
        if works != Path("out.o").exists():
            fail(f"{megabytes} MB", done)
        if not works and not done.stderr:
            fail(f"{megabytes} MB: nothing is said", done)
    if not all(outcomes.values()):
        fail(f"not both happened: {outcomes}")
    print(f"{outcomes['fails']} times too little memory, {outcomes['works']} enough: ok")


def threads():
    """Without a thread to be had the caller does all the work."""
    if os.getuid() != 0:
        print("not tried: only root can become a user that may have no threads")
        return
    nobody = 65534
    size = 4096 * 1024
    Path("in.raw").write_bytes(os.urandom(1 << 12) * (size >> 12))
    words = ["run", "4096x1024xu8", "--perm", "1,0", "--threads", "4", "in.raw"]
    if run(*words, "expected.raw").returncode:
        fail("it does not work at all")
    os.chmod(".", 0o777)
    Path("out.raw").unlink(missing_ok=True)

    def become_nobody():
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        os.setgid(nobody)
        os.setuid(nobody)

    try:
        done = run(*words, "out.raw", preexec_fn=become_nobody)
    except (PermissionError, subprocess.SubprocessError) as error:
        print(f"not tried: another user cannot run permc here: {error}")
        return
    if done.returncode or Path("out.raw").read_bytes() != Path("expected.raw").read_bytes():
        fail("no threads", done)
    print("no threads: ok")


def tools():
    """What is missing to verify is named, with the package that has it."""
    for target, program, package in [
        ("aarch64", "qemu-aarch64", "qemu-user"),
        ("armv7-neon", "qemu-arm", "qemu-user"),
        ("cortex-m4", "qemu-system-arm", "qemu-system-arm"),
        ("c99", "cc", None),
    ]:
        words = ["compile", *TENSOR, "--target", target, "--verify"]
        out = "out.c" if target == "c99" else "out.o"
        done = run(*words, "-o", out, env={"PATH": "/nonexistent"})
        named = f"cannot verify: {program} is not on PATH"
        named += f" (Debian: {package})" if package else ""
        if done.returncode != 1 or named not in done.stderr or Path(out).exists():
            fail(target, done)
    # The emulator is there, and what links the program is not.
    emulator = shutil.which("qemu-aarch64")
    if emulator:
        Path("bin").mkdir(exist_ok=True)
        link = Path("bin/qemu-aarch64")
        link.unlink(missing_ok=True)
        link.symlink_to(emulator)
        words = ["compile", *TENSOR, "--target", "aarch64", "--verify", "-o", "out.o"]
        done = run(*words, env={"PATH": os.path.abspath("bin")})
        if not re.search("aarch64-linux-gnu-gcc is not on PATH", done.stderr):
            fail("no cross compiler", done)
    print("missing tools: ok")


def main():
    what, *rest = sys.argv[2:]
    if what == "kill" and rest[0] == "cache":
        kill_caches(int(rest[1]))
    elif what == "kill":
        kill_writers(rest[0], int(rest[1]))
    elif what == "interrupt":
        interrupt(int(rest[0]))
    else:
        {"disk": disk, "cache": cache, "memory": memory, "threads": threads, "tools": tools}[
            what
        ]()


main()
