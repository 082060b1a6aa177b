# The few commands of the project. Each does everything from a fresh machine:
# installs what is missing, configures, builds, runs.

BUILD := build/release
JOBS ?= $(shell nproc)
PYTHON ?= python3
PREFIX ?= /usr/local

.PHONY: help demo check fuzz fuzzers small-world asan tsan gcc coverage mutants \
	other bench figure bench-arm docs format tidy build configure deps clean \
	runtime-dist install uninstall deb deb-check

help:
	@echo "make demo     compile a kernel, explain it, measure it, call it from C"
	@echo "make check    build and run every test"
	@echo "make fuzz     look for wrong bytes at random until one is found or Ctrl-C"
	@echo "make fuzzers  run libFuzzer on everything that reads files or text"
	@echo "make small-world   try every order of every small shape"
	@echo "make asan     every test with AddressSanitizer and UBSan; make tsan, make gcc"
	@echo "make coverage which lines the tests reach, by folder"
	@echo "make mutants  which small changes of the sources the tests notice"
	@echo "make bench    measure all suites beside memcpy and other libraries"
	@echo "make figure   measure ten layouts and draw the README's figure of them"
	@echo "make build    build only, into $(BUILD)"
	@echo "make install  into PREFIX=$(PREFIX); make uninstall takes it away"
	@echo "make deb      make Debian packages; make deb-check tries them in a chroot"
	@echo "make runtime-dist  pack the run-time library for machines without LLVM"
	@echo "make bench-arm     count the instructions of ARM kernels in an emulator"
	@echo "make docs     refresh docs/dialect.md and docs/passes.md"
	@echo "make format   format the C and C++ files in place"
	@echo "make tidy     lint all C++ files"
	@echo "make clean    remove build/"
	@echo "JOBS=N        how many compilers run at a time; all cores by default"

deps:
	@scripts/install-deps.sh

configure: deps
	@cmake --preset release --log-level=WARNING >/dev/null

build: configure
	@echo "Building in $(BUILD); the first build takes minutes."
	@cmake --build --preset release --parallel $(JOBS)

demo: build
	@scripts/demo.sh $(BUILD)/bin/permc

check:
	@scripts/install-deps.sh base cross builds models bindings
	@$(MAKE) --no-print-directory build
	@$(PYTHON) scripts/run-tests.py $(BUILD)

# More options in FUZZ_FLAGS, such as --targets=x86-64-v3,shim --seconds=600.
fuzz:
	@scripts/install-deps.sh base cross
	@$(MAKE) --no-print-directory build
	@$(BUILD)/bin/permc-fuzz --seed=$$(date +%s) --jobs=$(JOBS) \
	  $(or $(FUZZ_FLAGS),--targets=here,elsewhere)

# Each fuzz target for FUZZ_SECONDS; what it finds new stays in build/libfuzzer.
FUZZ_SECONDS ?= 60
FUZZERS := spelling manifest npy schedule ir cache runtime object compiler \
  openvino onnx mlir
fuzzers:
	@scripts/install-deps.sh base sanitize
	@cmake --preset libfuzzer --log-level=WARNING >/dev/null
	@cmake --build --preset libfuzzer --parallel $(JOBS) \
	  --target $(addprefix fuzz-,$(FUZZERS))
	@for name in $(FUZZERS); do \
	  mkdir -p build/libfuzzer/found/$$name; \
	  ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0 \
	  build/libfuzzer/bin/fuzz-$$name -max_total_time=$(FUZZ_SECONDS) \
	    -max_len=4096 -print_final_stats=1 -verbosity=0 \
	    -artifact_prefix=build/libfuzzer/$$name- \
	    build/libfuzzer/found/$$name test/fuzz/corpus/$$name || exit 1; \
	done

# What was right is kept: stopped, it goes on from there.
small-world:
	@scripts/install-deps.sh base cross
	@$(MAKE) --no-print-directory build
	@$(BUILD)/bin/permc-fuzz --small-world --jobs=$(JOBS) \
	  --log=$(BUILD)/small-world.log $(or $(FUZZ_FLAGS),--targets=here,elsewhere)

# Other builds, each in its folder of build/. tsan runs what has threads; gcc takes
# warnings for errors, as all but release do.
asan tsan:
	@scripts/install-deps.sh base sanitize cross
	@$(MAKE) --no-print-directory PRESET=$(if $(filter asan,$@),asan-ubsan,$@) other
gcc:
	@scripts/install-deps.sh base cross
	@$(MAKE) --no-print-directory PRESET=gcc other

other:
	@cmake --preset $(PRESET) --log-level=WARNING >/dev/null
	@cmake --build --preset $(PRESET) --parallel $(JOBS)
	@$(PYTHON) scripts/run-tests.py build/$(PRESET) \
	  $(if $(filter tsan,$(PRESET)),-L threads)

# Some tests only by COVERAGE_FLAGS='-R unit'.
coverage:
	@scripts/install-deps.sh base sanitize cross
	@cmake --preset coverage --log-level=WARNING >/dev/null
	@cmake --build --preset coverage --parallel $(JOBS)
	@$(PYTHON) scripts/coverage.py build/coverage $(COVERAGE_FLAGS)

# Changes the sources while it runs, and puts them back.
mutants: build
	@scripts/install-deps.sh mutants
	@/usr/bin/python3 scripts/mutate.py $(BUILD) $(MUTANT_FLAGS)

# More options in BENCH_FLAGS, such as --suite vision --peers none; then only
# what they are for is measured.
bench:
	@scripts/install-deps.sh base bench
	@$(MAKE) --no-print-directory build
	@$(BUILD)/bin/permc-bench --json $(BUILD)/bench.json \
	  --svg $(BUILD)/bench.svg $(BENCH_FLAGS)
	@echo "All figures: $(BUILD)/bench.json; a plot: $(BUILD)/bench.svg"
	@$(if $(BENCH_FLAGS),,$(PYTHON) benchmarks/figure.py $(BUILD)/bench.json \
	  $(BUILD)/layouts.svg && echo "The README's: $(BUILD)/layouts.svg")
	@$(if $(BENCH_FLAGS),,$(BUILD)/bin/permc-jit-bench)
	@$(if $(BENCH_FLAGS),,$(BUILD)/bin/permc-rt-bench)
	@$(if $(BENCH_FLAGS),,PYTHONPATH=$(BUILD)/python \
	  $(firstword $(wildcard /usr/bin/python3) $(PYTHON)) benchmarks/python.py)

# Only the cases of the README's figure, which becomes that of this machine.
figure:
	@scripts/install-deps.sh base bench
	@$(MAKE) --no-print-directory build
	@$(BUILD)/bin/permc-bench --filter "$$($(PYTHON) benchmarks/figure.py --filter)" \
	  --seconds-per-case 1 --json $(BUILD)/layouts.json
	@$(PYTHON) benchmarks/figure.py $(BUILD)/layouts.json docs/layouts.svg

# The list is kept under a name of its own: tests install elsewhere.
install: build
	@cmake --install $(BUILD) --prefix "$(PREFIX)"
	@mv $(BUILD)/install_manifest.txt $(BUILD)/installed-files.txt

uninstall:
	@test -e $(BUILD)/installed-files.txt || \
	  { echo "Nothing that 'make install' put somewhere is left."; exit 1; }
	@xargs -d '\n' rm -fv < $(BUILD)/installed-files.txt
	@rm $(BUILD)/installed-files.txt

# Debian packages, into build/release/packages.
deb: build
	@cmake --build --preset release --target permc-pages
	@cd $(BUILD) && cpack -G DEB

# Installs them in a clean Debian 12, uses and removes them. Needs root.
deb-check:
	@scripts/install-deps.sh base deb
	@$(MAKE) --no-print-directory deb
	@lintian --fail-on error $(BUILD)/packages/*.deb
	@scripts/check-debs.sh $(BUILD)/packages

runtime-dist: configure
	@cmake --build --preset release --target permc-runtime-dist

# More options in BENCH_FLAGS, such as --target cortex-m4.
bench-arm:
	@scripts/install-deps.sh base cross
	@$(MAKE) --no-print-directory build
	@$(PYTHON) benchmarks/arm/instructions.py $(BUILD)/bin/permc --suite all \
	  --most 4000000 $(BENCH_FLAGS)

docs: configure
	@cmake --build --preset release --target permc-docs
	@cp $(BUILD)/docs/dialect.md $(BUILD)/docs/passes.md docs/

format:
	@scripts/format.sh

tidy: build
	@scripts/tidy.sh $(BUILD)

clean:
	rm -rf build
