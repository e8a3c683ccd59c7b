# Everything a fresh machine with Python, pip and make needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Marks of environments: with all that work on mlebench takes, and with what running agents does.
FULL := $(VENV)/.installed
LIGHT := $(VENV)/.installed-agents
EITHER := $(or $(wildcard $(FULL)),$(LIGHT))
TYPED = $(or $(MAKECMDGOALS),setup)
# Two more than there are cores, since tests wait for processes, containers and disks; whoever is
# done takes over from the others.
PARALLEL = -n $$($(PYTHON) -c 'import os; print(os.cpu_count() + 2)') --dist worksteal
# Commands and tests start hundreds of Pythons, each of which would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup quickstart tour test test-oldest test-oldest-fast test-fast test-wide check format docs facts fuzz bench clean python-fits

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(FULL) ## the environment everything else runs in

# Before pip looks for minutes for versions that an old Python could use.
python-fits:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null || { \
	    if command -v $(PYTHON) >/dev/null; \
	    then found="$(PYTHON) is $$($(PYTHON) --version 2>&1)"; else found="there is no $(PYTHON)"; fi; \
	    echo "mlebench needs Python 3.11 to 3.13, and $$found." >&2; \
	    echo "Name another one, such as: make $(TYPED) PYTHON=python3.12" >&2; exit 1; }

$(FULL): EXTRA = dev
$(LIGHT): EXTRA = agents
$(FULL) $(LIGHT): pyproject.toml | python-fits
	@echo "Setting up $(VENV) with $$($(PYTHON) --version); this takes about a minute."
	@trap 'echo "Interrupted. To begin the set-up again: make $(TYPED)" >&2; exit 130' INT; \
	$(PYTHON) -m venv --clear $(VENV) && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRA)]'
	@touch $@
	@echo "Done. To have mlebench on the path: source $(BIN)/activate"

quickstart: $(EITHER) ## agents at work on six small competitions, compared
	@$(BIN)/mlebench quickstart

tour: $(EITHER) ## the commands one after the other, on data made on the spot
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/tour.sh

test: setup ## the whole suite, but for what takes minutes by itself
	$(BIN)/python -m pytest $(PARALLEL) -m 'not wide'

test-wide: setup ## what takes minutes by itself: our agents on all competitions, both editions
	$(BIN)/python -m pytest -m wide

OLDEST := .venv-oldest

$(OLDEST)/.installed: pyproject.toml tests/oldest.txt | python-fits
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check \
	    --constraint tests/oldest.txt --editable '.[tests]'
	touch $@

test-oldest: $(OLDEST)/.installed ## the whole suite with the oldest libraries allowed
	$(OLDEST)/bin/python -m pytest $(PARALLEL) -p no:cacheprovider -m 'not wide'

test-oldest-fast: $(OLDEST)/.installed ## what depends most on the libraries
	$(OLDEST)/bin/python -m pytest $(PARALLEL) -p no:cacheprovider -m 'not slow and not wide' \
	    --hypothesis-profile brief tests/submission tests/metrics tests/preparing \
	    tests/competitions/test_golden.py tests/competitions/test_scores.py

test-fast: setup ## without the slow tests
	$(BIN)/python -m pytest $(PARALLEL) -m 'not slow and not wide'

check: setup ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@# Folders named after Kaggle slugs are no packages; link them under names that are.
	@rm -rf build/tasks && mkdir -p build/tasks
	@for task in src/mlebench/competitions/*/task.py; do \
	    folder=$$(dirname $$task); \
	    ln -s ../../$$folder build/tasks/task_$$(basename $$folder | tr - _); \
	done
	MYPYPATH=build/tasks $(BIN)/mypy --explicit-package-bases --exclude '^$$' build/tasks

format: setup ## mend the style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup ## the generated parts of the documentation
	$(BIN)/python -m tests.docs.generate

facts: setup ## the facts of all competitions, parsed beforehand
	$(BIN)/python -m tests.registry.generate

fuzz: setup ## two hundred thousand broken submissions
	$(BIN)/python -m tests.fuzz --cases 200000

bench: setup ## speed, as ratios
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/grading.py
	$(BIN)/python benchmarks/hostile.py
	$(BIN)/python benchmarks/preparing.py
	$(BIN)/python benchmarks/hashing.py
	$(BIN)/python benchmarks/rooms.py
	$(BIN)/python benchmarks/runs.py
	$(BIN)/python benchmarks/validation.py
	$(BIN)/python -m benchmarks.graders
	$(BIN)/python -m benchmarks.batch
	$(BIN)/python -m benchmarks.pipeline

clean: ## remove what was made
	rm -rf $(VENV) $(OLDEST) .mypy_cache .pytest_cache .ruff_cache
