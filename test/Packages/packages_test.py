"""The Debian packages, unpacked beside each other and used.

    packages_test.py BUILD WORK

makes the packages of BUILD, unpacks all of them into a folder below WORK, and
uses that as a user of an installed system would. `make deb-check` does the same
in a Debian of its own, where they are installed and removed.
"""

import os
import shutil
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

build, work = (Path(word).resolve() for word in sys.argv[1:3])
root = work / "root"
PACKAGES = ["libpermc-dev", "libpermc-rt-dev", "libpermc-rt0", "libpermc0", "permc"]
# Where Python's headers are, its module is built.
if list(build.glob("python/permc/*.so")):
    PACKAGES.append("python3-permc")
environment = {**os.environ, "PATH": "/usr/bin:/bin:" + os.environ["PATH"], "LC_ALL": "C"}
environment.pop("DESTDIR", None)


def run(*command, cwd=None, **env):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env={**environment, **env}, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        run("cpack", "-G", "DEB", "-B", work / "made", "--config", build / "CPackConfig.cmake", cwd=work)
        cls.debs = {deb.name.split("_")[0]: deb for deb in (work / "made").glob("*.deb")}
        for deb in cls.debs.values():
            run("dpkg-deb", "-x", deb, root)

    def field(self, package, name):
        return run("dpkg-deb", "-f", self.debs[package], name).strip()

    def files(self, package):
        return [line.split()[5] for line in run("dpkg-deb", "-c", self.debs[package]).splitlines() if not line.split()[5].endswith("/")]

    def test_fields(self):
        self.assertEqual(sorted(self.debs), PACKAGES)
        version = run(build / "bin/permc", "--version").split()[1].rstrip(",")
        for package in PACKAGES:
            self.assertEqual(self.field(package, "Version"), f"{version}-1")
            self.assertNotIn("example", self.field(package, "Maintainer"))
        synopses = {self.field(package, "Description").splitlines()[0] for package in PACKAGES}
        self.assertEqual(len(synopses), len(PACKAGES), synopses)
        for package, needed in (("libpermc-dev", "libpermc0 (= "), ("libpermc-rt-dev", "libpermc-rt0 (= "), ("permc", "libc6 (")):
            self.assertIn(needed, self.field(package, "Depends"))

    def test_files(self):
        """Every installed file is in one package, and none in two."""
        counts = Counter(file for package in PACKAGES for file in self.files(package))
        self.assertEqual([], [file for file, count in counts.items() if count > 1])
        prefix = work / "prefix"
        for component in ("tools", "library", "runtime"):
            run("cmake", "--install", build, "--prefix", prefix, "--component", component)
        packed = {file.removesuffix(".gz").removesuffix("/") for file in files_below(root / "usr")}
        # Debian has these under its own names.
        absent = {file for file in files_below(prefix) - packed if Path(file).name not in ("LICENSE", "CHANGELOG.md")}
        self.assertEqual(set(), absent)
        for package, file in (("permc", "./usr/lib/permc/permc_mlir.so"), ("permc", "./usr/share/man/man1/permc.1.gz"),
                              ("libpermc-dev", "./usr/lib/pkgconfig/permc.pc"), ("libpermc-rt-dev", "./usr/include/permc-rt/permc_rt.h")):
            self.assertIn(file, self.files(package))

    def test_kernels(self):
        """CMake finds the package, and a program runs its kernels."""
        source = work / "aot"
        shutil.copytree(root / "usr/share/doc/permc/examples/aot", source)
        run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={root}/usr")
        run("cmake", "--build", source / "build")
        printed = run(source / "build/aot")
        self.assertIn("right", printed)
        self.assertNotIn("wrong", printed)

    def test_libraries(self):
        """pkg-config finds the libraries, and programs run with them."""
        if not shutil.which("pkg-config", path=environment["PATH"]):
            self.skipTest("pkg-config is not installed")
        examples = root / "usr/share/doc/permc/examples"
        libraries = root / "usr/lib"
        for package, example in (("permc", "jit_c"), ("permc_rt", "runtime_c")):
            with self.subTest(package):
                words = run("pkg-config", "--cflags", "--libs", package, PKG_CONFIG_PATH=str(libraries / "pkgconfig"),
                            PKG_CONFIG_SYSROOT_DIR="").split()
                self.assertIn(libraries, [Path(word[2:]).resolve() for word in words if word.startswith("-L")])
                program = work / example
                run("cc", examples / example / "main.c", *words, "-o", program)
                run(program, LD_LIBRARY_PATH=str(libraries))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
