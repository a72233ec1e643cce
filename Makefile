# Everything a person or CI does with this repository. Needs make, git and Python 3.11 or newer; nothing as root.
# Each target sets up .venv by itself and can be run again after an interruption.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

CANDIDATES := python3 python3.13 python3.12 python3.11
PYTHON ?= $(shell for python in $(CANDIDATES); do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$python; break; }; done)

BIN := .venv/bin
READY := .venv/.ready
TYPED := codegen runtime tests generated examples benchmarks docs

# Packages whose every branch a test takes.
empty :=
comma := ,
space := $(empty) $(empty)
COVERED := runtime/wakuwaku/_core codegen/wakuwaku_gen/model codegen/wakuwaku_gen/check \
	codegen/wakuwaku_gen/render codegen/wakuwaku_gen/write

step = @printf '%-10s %s\n' '$(1)' '$(2)'
# Run a command and show what it prints only when it fails.
quietly = @output=$$($(1) 2>&1) || { printf '%s\n' "$$output"; exit 1; }

.PHONY: help demo test quick golden bench fuzz docs reference format clean pins
.PHONY: check-format check-lint check-imports check-types check-pyright check-generated check-compat check-tests check-docs

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## generate, publish, consume and project real flights
	$(call step,generate,schemas/ -> generated/)
	@$(BIN)/wakuwaku-gen schemas/ -o generated/
	$(call step,run,three days of flights through a log in a temporary folder)
	@$(BIN)/python -m examples.flights.demo

test: check-format check-lint check-imports check-types check-pyright check-generated check-compat check-tests check-docs ## all that CI runs
	@echo 'all checks passed'

quick: check-format check-lint check-types ## format, lint, types and the tests that are not slow; under a minute
	$(call step,tests,without the slow ones)
	@$(BIN)/pytest -q -n 2 -m 'not slow'

golden: $(READY) ## write the expected output of the golden cases anew; look at the difference before you commit it
	@$(BIN)/pytest -q tests/cases tests/codegen/compat/test_rules.py --update

bench: $(READY) ## measure the pipeline, slow handlers, the log, the retry template, the generator and compat
	@$(BIN)/python benchmarks/pipeline.py
	@$(BIN)/python benchmarks/latency.py
	@$(BIN)/python benchmarks/log.py
	@$(BIN)/python benchmarks/retry.py
	@$(BIN)/python benchmarks/generator.py
	@$(BIN)/python benchmarks/compat.py

fuzz: $(READY) ## look for schemas and records nobody thought of: FUZZ examples (2000) of each property, new ones each time
	@WAKUWAKU_FUZZ=$(or $(FUZZ),2000) $(BIN)/pytest -q -n 2 tests/codegen/fuzz
	@WAKUWAKU_COMPAT_EDITS=$(or $(FUZZ),2000) $(BIN)/pytest -q -n 2 tests/codegen/compat/test_differential.py

docs: check-docs ## build the pages into site/ and run their snippets
	$(call step,snippets,every python block of README and docs/)
	@$(BIN)/pytest -q tests/docs

reference: $(READY) ## write the pages of docs/reference/ that are made of the program
	@$(BIN)/python docs/make_reference.py

format: $(READY) ## format and repair what ruff can repair
	@$(BIN)/ruff format -q
	@$(BIN)/ruff check -q --fix

clean: ## remove .venv, caches and all that was built
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* build dist site
	@find codegen runtime tests generated examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

pins: $(READY) ## raise every pin of constraints.txt to the newest release
	@$(BIN)/python -m pip install -q --disable-pip-version-check -U --upgrade-strategy eager -e '.[dev]'
	@sed -n '/^#/p' constraints.txt > .venv/pins
	@$(BIN)/python -m pip list --disable-pip-version-check --exclude-editable --exclude pip --exclude setuptools --format freeze >> .venv/pins
	@mv .venv/pins constraints.txt && touch $(READY)

check-format: $(READY)
	$(call step,format,ruff format --check)
	@$(BIN)/ruff format -q --check

check-lint: $(READY)
	$(call step,lint,ruff check)
	@$(BIN)/ruff check -q

check-imports: $(READY)
	$(call step,imports,the arrows between packages)
	$(call quietly,$(BIN)/lint-imports --no-logo)

check-types: $(READY)
	$(call step,types,mypy --strict)
	@$(BIN)/mypy --no-error-summary $(TYPED)

check-pyright: $(READY)
	$(call step,pyright,basedpyright strict)
	$(call quietly,$(BIN)/basedpyright)

check-generated: $(READY)
	$(call step,generated,generated/ is what schemas/ ask for)
	$(call quietly,$(BIN)/wakuwaku fmt schemas/ --check)
	$(call quietly,$(BIN)/wakuwaku-gen schemas/ -o generated/ --check --fail-on warning)

# Against the lock: it has every released version, and is there in a shallow clone and without a remote, too.
check-compat: $(READY)
	$(call step,compat,schemas/ strand no reader of a released version)
	$(call quietly,$(BIN)/wakuwaku compat schemas/)

check-tests: $(READY)
	$(call step,tests,all of them$(comma) in random order)
	@$(BIN)/pytest -q -n 2 --cov --cov-report=
	$(call step,coverage,every line and branch of $(notdir $(COVERED))$(comma) 94 of 100 of compat)
	$(call quietly,$(BIN)/coverage report --fail-under=94 --include='codegen/wakuwaku_gen/compat/*')
	$(call quietly,$(BIN)/coverage report --fail-under=100 --include='$(subst $(space),$(comma),$(addsuffix /*,$(strip $(COVERED))))')

check-docs: $(READY)
	$(call step,docs,mkdocs build --strict)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q --strict

$(READY): pyproject.toml constraints.txt
	@test -n '$(PYTHON)' || { echo 'wakuwaku needs Python 3.11 or newer, and none of $(CANDIDATES) is.' >&2; \
		echo 'Install one, or name it: make PYTHON=/path/to/python' >&2; exit 1; }
	$(call step,setup,.venv with the pinned tools; takes a minute the first time)
	@$(PYTHON) -m venv .venv || { echo 'This Python lacks the venv module; on Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@
