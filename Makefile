# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
RUN_ARGS ?= duration:=42 speed:=max
TEST_ARGS ?=
MUTANT_ARGS ?=

export ROS_AUTOMATIC_DISCOVERY_RANGE ?= LOCALHOST
unexport PYTHONDONTWRITEBYTECODE  # else every start of a program compiles all of its modules

.PHONY: help setup run test lint bench urdf docs evidence evidence-pages mutants operator-mutants lock clean

help:
	@echo "make run    install everything into .venv and drive 4 m in simulation (hoal.launch.py)"
	@echo "make test   the test suite        make lint   ruff, mypy, import directions"
	@echo "make bench  the benchmarks        make docs   the manual as HTML in docs/_build"
	@echo "make evidence   every measured claim, and which are old; CLAIM=NAME measures one again, KEEP=1 writes it down"
	@echo "make mutants  three dozen bugs planted in the torque gate, to test its tests"
	@echo "make operator-mutants  all bugs that one operator makes in gate, faults, guard, supervisor, loop"

# ROS 2: the distribution that is sourced, with the numpy that it was built with; else PyPI's wheels,
# which there are for Linux on x86-64; else none.
ROS := $(shell if [ -n "$$ROS_DISTRO" ] && $(PYTHON) -c 'import rclpy' 2>/dev/null; then echo sourced; \
  elif [ "$$(uname -sm)" = "Linux x86_64" ]; then echo wheels; else echo none; fi)
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL_wheels := -r requirements/lock.txt -r requirements/lock_ros.txt
INSTALL_none := -r requirements/lock.txt
INSTALL_sourced = -r requirements/run.in -r requirements/test.in setuptools \
  numpy==$$($(PYTHON) -c 'import numpy; print(numpy.__version__)')

SAY_wheels := :
SAY_sourced := echo "ROS 2: uses $$ROS_DISTRO, which is sourced here"
SAY_none := echo "ROS 2: none, there are no wheels for $$(uname -sm); boa run, plan, report, bag info, servo and" \
  "sensors work, boa launch needs a ROS 2 distribution (source it, then make clean setup)"

$(STAMP): requirements/lock.txt requirements/lock_ros.txt setup.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "error: $(PYTHON) is older than 3.11; set PYTHON=/path/to/python3.11 or newer"; exit 2; }
	@$(PYTHON) -m venv $(if $(filter sourced,$(ROS)),--system-site-packages) $(VENV) || \
	  { echo "error: python cannot make a virtual environment; on Debian/Ubuntu: apt install python3-venv"; exit 2; }
	@echo "installing into $(VENV): one to five minutes"
	$(PIP) install --quiet $(if $(filter-out sourced,$(ROS)),--require-hashes) $(INSTALL_$(ROS))
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
	$(BIN)/python -m boa_sim.compiled
	@$(SAY_$(ROS))
	@touch $@

setup: $(STAMP)

run: setup
	$(BIN)/boa launch hoal.launch.py sim:=true $(RUN_ARGS)

test: setup  # side by side, one process more than cores: a ROS domain each, ports from the system, nothing is timed
	$(BIN)/python -m pytest -n auto --dist worksteal --durations=20 $(TEST_ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/boa bench

mutants: setup  # bugs planted in the torque gate; each must fail its tests
	$(BIN)/python test/mutants/gate_mutants.py

urdf: setup  # maintainers: after changing a robot in boa_description/data
	@for robot in $(basename $(notdir $(wildcard boa_description/data/*.yaml))); do \
	  $(BIN)/boa robots --urdf $$robot > urdf/$$robot.urdf; \
	  $(BIN)/boa robots --xacro $$robot > urdf/$$robot.urdf.xacro; \
	done

operator-mutants: setup  # each small bug of gate, faults, frame guard, supervisor, servo loop
	$(BIN)/python test/mutants/operator_mutants.py $(MUTANT_ARGS)

docs: setup
	$(BIN)/python -m sphinx -q -W -j auto -b html docs docs/_build

evidence: setup  # of what the manual claims: a list, or one measured again
	$(BIN)/python -m evidence $(CLAIM) $(if $(KEEP),--keep)

evidence-pages: setup  # maintainers: after changing evidence/*.yaml
	$(BIN)/python -m evidence --pages

COMPILE := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

lock:  # maintainers: after changing requirements/*.in (needs `pip install uv`)
	uv pip compile $(COMPILE) requirements/run.in requirements/dev.in -o requirements/lock.txt
	uv pip compile $(COMPILE) -c requirements/lock.txt requirements/ros.in -o requirements/lock_ros.txt

clean:
	rm -rf $(VENV) docs/_build docs/api build install log results
