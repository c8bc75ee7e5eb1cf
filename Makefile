# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RUN_ARGS ?=

export ROS_AUTOMATIC_DISCOVERY_RANGE ?= LOCALHOST

.PHONY: help setup run test lint bench docs mutants lock clean

help:
	@echo "make run    install everything into .venv and run hoal.launch.py in simulation"
	@echo "make test   the test suite        make lint   ruff, mypy, import directions"
	@echo "make bench  the benchmarks        make docs   the manual as HTML in docs/_build"
	@echo "make mutants  two dozen bugs planted in the torque gate, to test its tests"

$(STAMP): requirements/lock.txt setup.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "error: $(PYTHON) is older than 3.11; set PYTHON=/path/to/python3.11 or newer"; exit 2; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "error: python cannot make a virtual environment; on Debian/Ubuntu: apt install python3-venv"; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/lock.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

setup: $(STAMP)

run: setup
	$(BIN)/boa launch hoal.launch.py sim:=true $(RUN_ARGS)

test: setup
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/boa bench

mutants: setup  # bugs planted in the torque gate; each must fail its tests
	$(BIN)/python test/mutants/gate_mutants.py

docs: setup
	$(BIN)/python -m sphinx -q -W -b html docs docs/_build

lock:  # maintainers: after changing requirements/*.in (needs `pip install uv`)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  requirements/run.in requirements/ros.in requirements/dev.in -o requirements/lock.txt

clean:
	rm -rf $(VENV) docs/_build build install log results
