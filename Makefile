# The short commands; the build itself is CMake's.
BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
JOBS    ?= $(shell nproc 2>/dev/null || echo 1)
# One more than processors: tests wait for disks, and processes for each other.
TESTS   ?= $(shell expr $(JOBS) + 1)
CMAKE_ARGS ?=
# all: code for GPUs that are not here, too.
CARDS ?= present
PYTHON ?= python3
# What CMake writes last: its cache is there, too, where a dependency was not found.
CONFIGURED = $(BUILD)/cmake_install.cmake
DEMO = examples/data/eeg.edf
TELL_SKIPS = grep -h '^SKIPPED' $(BUILD)/Testing/Temporary/LastTest.log | sort -u || true

all: tools $(CONFIGURED)
	cmake --build $(BUILD) -j $(JOBS)

tools:
	$(if $(and $(shell command -v cmake),$(shell command -v $(firstword $(CC)) gcc clang)),,\
		$(error no cmake, or no C compiler: `make setup` installs what a build needs))

$(CONFIGURED): | tools
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DWAVESIFT_CARDS=$(CARDS) \
		$(CMAKE_ARGS) || { echo "make: 'make setup' installs what a build needs" >&2; false; }

# Installs what is missing; does nothing when everything is there.
setup:
	@scripts/setup.sh

# A real recording, decomposed and drawn: one channel by Improved CEEMDAN, all
# together by multivariate EMD, two by wavelets (demo/*.h5, demo/*.png).  The
# summaries say what did the work.  Where no GPU is, CUDA is left out.
demo: setup
	@$(MAKE) --no-print-directory $(CONFIGURED)
	cmake --build $(BUILD) -j $(JOBS) --target demo_program
	@mkdir -p demo
	$(BUILD)/wavesift iceemdan $(DEMO) --channels Cz --from 10 --to 40 --device auto \
		-o demo/iceemdan.h5 --plot demo/iceemdan.png --dpi 128 --overwrite
	@echo
	$(BUILD)/wavesift memd $(DEMO) --from 10 --to 40 --noise-channels 2 --device auto \
		-o demo/memd.h5 --overwrite
	$(BUILD)/wavesift plot demo/memd.h5 --channels Fz,Cz,O1 --from 20 --to 26 \
		--plot-modes 2-8 --size 222mm --dpi 128 -o demo/memd.png --overwrite
	$(BUILD)/wavesift plot demo/memd.h5 --figure spectra -o demo/memd_spectra.png --overwrite
	@echo
	$(BUILD)/wavesift cwt $(DEMO) --channels Fz,Pz --from 10 --to 40 --freqs 1:45 \
		-o demo/cwt.h5 --plot demo/cwt.png --dpi 144 --overwrite

# The commands of docs/gallery.md, run; their results in gallery/, their pictures where the page
# shows them.
gallery: setup
	@$(MAKE) --no-print-directory $(CONFIGURED)
	cmake --build $(BUILD) -j $(JOBS) --target program
	scripts/gallery.sh $(BUILD)/wavesift gallery
	mkdir -p docs/images/gallery
	cp gallery/images/gallery/*.png docs/images/gallery/

# The tests that finish in less than ten minutes on two cores: every one that is not slow, and a
# part of most that are (THINNED=no: but for these parts).  What was left out is listed at the end.
THINNED ?= yes
test: setup
	@$(MAKE) --no-print-directory all
	ctest --test-dir $(BUILD) --output-on-failure -j $(TESTS) -LE slow \
		$(if $(filter no,$(THINNED)),-E _thinned)
	@$(TELL_SKIPS)

# The rest: the slow ones, whole.
test-all: setup
	@$(MAKE) --no-print-directory all
	ctest --test-dir $(BUILD) --output-on-failure -j $(TESTS) -L slow
	@$(TELL_SKIPS)

# The tests of the GPU's backend, on a GPU.
test-gpu: setup
	@$(MAKE) --no-print-directory all
	@$(BUILD)/wavesift devices --json | grep -q '"usable": true' || \
		{ $(BUILD)/wavesift devices; echo "test-gpu: no GPU can be used" >&2; exit 1; }
	ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -L gpu

# The GPU's kernels under compute-sanitizer, on a GPU.
sanitize-gpu: setup
	@$(MAKE) --no-print-directory all
	WAVESIFT_BUILD=$(BUILD) tests/sanitize_gpu.sh

# The digests of results that tests/check_bits.sh compares with, for a new numerics version.
bits: setup
	@$(MAKE) --no-print-directory $(CONFIGURED)
	cmake --build $(BUILD) -j $(JOBS) --target bits_digest
	$(BUILD)/bits_digest >tests/data/bits.txt.part
	mv tests/data/bits.txt.part tests/data/bits.txt

# The tables of docs/instrument.md, and its picture.
instrument: setup
	cmake -S . -B $(BUILD)-bench -DWAVESIFT_BENCH=ON $(CMAKE_ARGS)
	cmake --build $(BUILD)-bench -j $(JOBS) --target bench_conv_instrument
	$(BUILD)-bench/bench/conv_instrument docs/images/instrument.png

bench: setup
	cmake -S . -B $(BUILD)-bench -DWAVESIFT_BENCH=ON $(CMAKE_ARGS)
	cmake --build $(BUILD)-bench -j $(JOBS) --target bench_slots bench_emd bench_peers ours program wavesift
	bench/run.sh $(BUILD)-bench

# Every row of docs/validation.md that this machine can run, and the page written anew; ROWS: some.
validate: setup
	@$(MAKE) --no-print-directory $(CONFIGURED)
	cmake --build $(BUILD) -j $(JOBS)
	$(PYTHON) bench/validation/validate.py --build $(BUILD) $(ROWS)

# Each fuzz target for FUZZ_SECONDS on its corpus; docs/security.md.
FUZZ_SECONDS ?= 60
fuzz: all
	cmake -S . -B $(BUILD)-fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug \
		-DCMAKE_C_FLAGS_DEBUG=-g1 -DWAVESIFT_FUZZ=ON -DWAVESIFT_SANITIZE=address,undefined $(CMAKE_ARGS)
	cmake --build $(BUILD)-fuzz -j $(JOBS) --target fuzz_targets
	scripts/fuzz.sh $(BUILD)-fuzz $(FUZZ_SECONDS)

# A virtual environment with what the Python package, its tests and its pages need, which make test
# then uses: build/python/bin/python.
python-environment: setup
	@$(MAKE) --no-print-directory $(CONFIGURED)
	$(PYTHON) -m venv $(BUILD)/python
	$(BUILD)/python/bin/pip install -q --disable-pip-version-check \
		$$($(PYTHON) scripts/python_needs.py files plot xarray test site)

# The same, and the package's tests run.
python: python-environment
	cmake --build $(BUILD) -j $(JOBS) --target wavesift wavesift_cli
	WAVESIFT_BUILD=$(abspath $(BUILD)) PYTHON=$(abspath $(BUILD))/python/bin/python \
		bash tests/check_python.sh

# The pages of docs/ for Python, the gallery, which runs, and the reference, by Sphinx:
# build/site/index.html.
site: python-environment
	cmake --build $(BUILD) -j $(JOBS) --target wavesift
	rm -rf $(BUILD)/site-source
	mkdir -p $(BUILD)/site-source
	cp -r docs $(BUILD)/site-source/docs
	cd $(BUILD)/site-source/docs/site && PYTHONPATH=$(CURDIR)/bindings/python \
		WAVESIFT_LIBRARY=$(abspath $(BUILD))/libwavesift.so \
		WAVESIFT_EXAMPLES=$(CURDIR)/examples/data \
		$(abspath $(BUILD))/python/bin/python -m sphinx -q -W --keep-going -b html . \
		$(abspath $(BUILD))/site

# The sdist and Python wheels for Linux, macOS and Windows, in build-wheels/dist: needs python3 with
# venv, and PyPI, which has the compiler too.
wheels:
	scripts/wheels.sh

# The wheel of the program, wavesift-cli, for Linux on x86-64, which has this Debian's libraries
# within it (docs/releasing.md).
wheel-cli: setup
	scripts/wheels.sh x86_64-cli-debian

# Debian packages, in build-deb/dist: built, looked at and tried in chroots of Debian 12, by root.
deb:
	scripts/deb.sh

# A release, in build-release/wavesift-VERSION, with commit and tag; release-trial: without these.
release:
	scripts/release.sh

release-trial:
	TRIAL=1 scripts/release.sh

install:
	cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_ARGS) >/dev/null
	cmake --build $(BUILD) -j $(JOBS)
	DESTDIR=$(DESTDIR) cmake --install $(BUILD)

clean:
	rm -rf $(BUILD) $(BUILD)-bench $(BUILD)-fuzz build-wheels build-deb build-release demo gallery

.PHONY: all tools setup demo gallery test test-all test-gpu sanitize-gpu bits instrument bench \
	validate fuzz python-environment python site wheels wheel-cli deb release release-trial \
	install clean
