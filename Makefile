# A newcomer needs two of these: `make review` and `make test`.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv

.PHONY: setup review test test-all check check-lint check-format check-types check-layers check-names check-house page page-check page-types screenshots bench bench-smoke eval lock clean

setup: $(VENV)/.ready  ## .venv with the affidavit command and the analysers

$(VENV)/.ready: pyproject.toml requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	touch $@

review: setup  ## review a sample change: no key, no model
	$(BIN)/python sample/review.py

test: setup  ## the whole test suite
	@$(MAKE) --no-print-directory $(TOGETHER) page-check $(CHECKS)
	tools/install-test-needs
	tools/run-tests

test-all: export AFFIDAVIT_LONG_TESTS := 1
test-all: test  ## the same, with what tries everything: every field, every stage, more moments; minutes more

check: setup  ## lint, types, layers; beside each other, and what one of them says stands together
	@$(MAKE) --no-print-directory $(TOGETHER) $(CHECKS)

# The longest first.
CHECKS := check-types check-house check-layers check-lint check-format check-names
TOGETHER := --keep-going --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

check-lint:
	$(BIN)/ruff check src tests sample bench tools

check-format:
	$(BIN)/ruff format --check src tests sample bench tools

check-types:
	$(BIN)/mypy

check-layers:
	$(BIN)/lint-imports

check-names:  ## pytest collects no two files of one name
	$(BIN)/python tools/names_of_tests.py

check-house:  ## the size of the code and its documents, under the ceilings of the table
	$(BIN)/python tools/house.py

check-reference:  ## docs/reference.md is as the commands are
	$(BIN)/python tools/reference.py --check

page: setup  ## build the page that `affidavit serve` shows; only what has changed
	$(BIN)/python tools/page.py build

page-check: setup  ## of the page: types, unit tests, build, size; the types of the API are not stale
	$(BIN)/python tools/page.py check
	$(BIN)/python tools/page_types.py --check

page-types: setup  ## write the types of the API anew
	$(BIN)/python tools/page_types.py

screenshots: setup  ## pictures of every page and of a posted review, for the documents
	$(BIN)/python tools/screenshots.py
	$(BIN)/python tools/posted_picture.py

bench: setup  ## speed and memory as ratios against a named alternative
	$(BIN)/python -m bench

bench-smoke: setup  ## run every section of the bench on a tiny size, without network
	$(BIN)/python -m bench --smoke

eval: setup  ## score the mechanical specialists on the starter set; ARGS="--model …" for everything
	$(BIN)/affidavit eval evaluation/cases $(ARGS)

lock:  ## pin what pyproject.toml asks for
	$(UV) pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --python-version 3.11 --extra postgres --group dev pyproject.toml -o requirements.lock
	$(UV) pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --python-version 3.11 --constraint requirements.lock --group build pyproject.toml \
	  -o src/affidavit/forges/workflows/dependencies.lock

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .bench web/node_modules src/affidavit/web
