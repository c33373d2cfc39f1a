# make try    set up, then find the bug in the bundled example
# make test   set up, then all checks and tests, on every interpreter that is found
# make test-fast   the tests that say most in little time, on one interpreter: while you work
SHELL := /bin/bash
VERSIONS := 3.11 3.12 3.13
DEFAULT := 3.11
CRAFTED := 1000
FOUND := $(foreach v,$(VERSIONS),$(if $(shell tools/find-python $(v)),$(v)))
MISSING := $(filter-out $(FOUND),$(VERSIONS))
SOURCES := pyproject.toml setup.py $(wildcard src/sleuth/_*/*.[ch] src/sleuth/_*/*/*.[ch])
FULL := $(firstword $(filter $(DEFAULT),$(FOUND)) $(FOUND))
MAIN := .venv-$(FULL)/bin
# One more worker than processors, 4 at most: some tests spend most of their time waiting.
WORKERS := $(shell n=$$(nproc); echo $$((n < 4 ? n + 1 : 4)))
export TMPDIR := $(shell tools/scratch-folder)
PYTEST := -m pytest -q -n $(WORKERS) --dist worksteal
PREFIX := '{python} -m sleuth record --quiet --'
PREFIX_TEST := '{python} -m sleuth record --quiet --include test --'

# Compiled modules are kept: else each worker, and each command that a test starts, compiles them all again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help try test test-fast check tests $(VERSIONS:%=test-%) torture fuzz sanitize transparency bench questions wheel clean

help:
	@sed -n 's/^# make/make/p' Makefile
	@echo "make check  only the linters and type checks"
	@echo "make fuzz   property tests with examples that nobody has seen before; CRAFTED=10000 crafted traces"
	@echo "make sanitize   the recorder's tests with a core that checks itself, and on a debug interpreter"
	@echo "make transparency   CPython's own tests, recorded; takes some minutes a version"
	@echo "make bench  what recording and asking cost"
	@echo "make wheel  build the source distribution and the wheel, and try the wheel without a compiler"
	@echo "make questions   how many questions find a bug, by strategy and shape of the tree"

# A virtual environment for each version; Sleuth is installed again when the C code or the metadata changes.
.make/%: $(SOURCES)
	@test -n "$$(tools/find-python $*)" || { echo "No Python $* found: install it, or put it on the PATH."; exit 1; }
	test -x .venv-$*/bin/python || "$$(tools/find-python $*)" -m venv .venv-$*
	SLEUTH_BUILD=strict .venv-$*/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@mkdir -p .make && touch $@

# At a terminal the user answers; elsewhere the answers come from a file of the tests.
try: .make/$(DEFAULT)
	@cd examples && if [ -t 0 ]; then \
	    echo '$$ sleuth run shop.py'; \
	    ../$(MAIN)/sleuth run shop.py; true; \
	else \
	    echo '$$ sleuth record shop.py'; \
	    ../$(MAIN)/sleuth record shop.py && \
	    echo '$$ sleuth ask --answers ../tests/sessions/shop/answers.txt' && \
	    ../$(MAIN)/sleuth ask --answers ../tests/sessions/shop/answers.txt; \
	fi

test: check $(FOUND:%=test-%)
	@echo "Tested on Python $(FOUND)$(if $(MISSING),; not found: $(MISSING))."

test-fast: .make/$(FULL)
	EFFORT=fast $(MAIN)/python $(PYTEST) $(TESTS)

check: .make/$(DEFAULT)
	$(MAIN)/ruff check .
	$(MAIN)/ruff format --check src tests
	$(MAIN)/mypy
	$(MAIN)/lint-imports
	$(MAIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

# All tests in full on one version, a part of the long ones on the others: see tests/effort.py.
$(VERSIONS:%=test-%): test-%: .make/%
	@echo "--- Python $*: tests"
	EFFORT=$(or $(EFFORT),$(if $(filter $*,$(FULL)),full,part)) .venv-$*/bin/python $(PYTEST)
	@echo "--- Python $*: torture"
	.venv-$*/bin/python transparency/check.py torture --prefix $(PREFIX)

fuzz: .make/$(DEFAULT)
	$(MAIN)/python -m pytest -q -n auto -m hypothesis --hypothesis-profile fuzz $(FUZZ)
	$(MAIN)/python -m tests.crafted.fuzz $(CRAFTED)

# The same tests twice: with the compiler's checks of addresses and undefined behaviour, and on a debug
# interpreter, which checks itself and counts all references.  Each environment has its own copy of Sleuth.
DEBUG_PYTHON ?= $(shell command -v python$(DEFAULT)-dbg)
SANITIZE_TESTS ?= tests/record
COPIED := $(SOURCES) $(shell find src/sleuth -name '*.py')
INSTALL_COPY = rm -rf build && $(1)/bin/python -m pip install --quiet --disable-pip-version-check \
    --force-reinstall --no-deps . && rm -rf build

.make/sanitize: $(COPIED)
	test -x .venv-sanitize/bin/python || "$$(tools/find-python $(DEFAULT))" -m venv .venv-sanitize
	.venv-sanitize/bin/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	SLEUTH_BUILD=sanitize; export SLEUTH_BUILD; $(call INSTALL_COPY,.venv-sanitize)
	@mkdir -p .make && touch $@

.make/debug: $(COPIED)
	@test -n "$(DEBUG_PYTHON)" || { echo "No debug build of Python $(DEFAULT) found. On Debian: apt install" \
	    "python$(DEFAULT)-dbg. Elsewhere configure CPython with --with-pydebug, then:" \
	    "make sanitize DEBUG_PYTHON=/path/to/python"; exit 1; }
	test -x .venv-debug/bin/python || "$(DEBUG_PYTHON)" -m venv .venv-debug
	.venv-debug/bin/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	SLEUTH_BUILD=debug; export SLEUTH_BUILD; $(call INSTALL_COPY,.venv-debug)
	@mkdir -p .make && touch $@

sanitize: .make/sanitize .make/debug
	@echo "--- addresses and undefined behaviour"
	PYTHONMALLOC=malloc LD_PRELOAD="$$(gcc -print-file-name=libasan.so)" \
	    ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:handle_segv=0:handle_abort=0 UBSAN_OPTIONS=print_stacktrace=1 \
	    .venv-sanitize/bin/python -m pytest -q -n auto --maxprocesses 4 $(SANITIZE_TESTS)
	@echo "--- a debug interpreter"
	.venv-debug/bin/python -m pytest -q -n auto --maxprocesses 4 $(SANITIZE_TESTS)

transparency: $(FOUND:%=.make/%)
	for v in $(FOUND); do \
	    .venv-$$v/bin/python transparency/check.py torture --prefix $(PREFIX) || exit 1; \
	    .venv-$$v/bin/python transparency/check.py cpython --prefix $(PREFIX_TEST) \
	        --expected transparency/expected.json || exit 1; \
	    .venv-$$v/bin/python transparency/packages.py || exit 1; \
	done

bench: $(FOUND:%=.make/%)
	$(MAIN)/python bench/search.py
	$(MAIN)/python bench/shaping.py
	$(MAIN)/python bench/reading.py
	$(MAIN)/python bench/lines.py
	$(MAIN)/python bench/travel.py
	$(MAIN)/python -m bench.slices.speed
	$(MAIN)/python bench/compiled.py
	$(MAIN)/python bench/growth.py $(FOUND:%=--python .venv-%/bin/python)
	$(MAIN)/python bench/run.py $(FOUND:%=--python .venv-%/bin/python)

questions: .make/$(DEFAULT)
	$(MAIN)/python -m bench.questions $(QUESTIONS)

# Builds a source distribution and the wheel from it, and tries the wheel without a compiler.
wheel: .make/$(DEFAULT)
	rm -rf dist build
	$(MAIN)/python -m build --outdir dist .
	rm -rf build
	$(MAIN)/python tools/try_wheel.py dist/*.whl

clean:
	rm -rf .venv-* .make build src/*.egg-info src/sleuth/*.so .mypy_cache .ruff_cache .pytest_cache
