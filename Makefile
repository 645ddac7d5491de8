# setup | demo | check | test | bench | judge | docs: the only commands a person or a CI machine needs. Each installs what it
# needs first; nothing is installed twice. `corpus` renews the shipped vectors after a page of corpus/ has changed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
TESTED := --constraint constraints.txt --editable '.[dev,offline-model,report,llm,mcp,cuda]'

.PHONY: setup demo check test bench judge docs corpus
.DEFAULT_GOAL := setup

setup: $(VENV)/installed

demo: setup
	$(BIN)/kbgen optimize examples/rmsnorm.py --gpu h100 --out kbgen-out

check: setup typings/kbgen
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: setup
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal

bench: setup
	$(BIN)/kbgen eval suite examples --gpu h100 --gpu rtx4090 --gpu mi300x

judge: setup
	OMP_NUM_THREADS=1 $(BIN)/kbgen eval judge

docs: setup
	$(BIN)/python docs/cli_page.py
	$(BIN)/python docs/files_page.py

corpus: setup
	$(BIN)/python -m kbgen.kb.shipped

# torch comes through pip, which finds a wheel that lies on this machine (a CPU build, say); uv would fetch the newest
# CUDA build. uv then takes the rest in a fraction of pip's time and leaves the torch it finds alone; pip steps in
# where uv cannot reach the index, behind a proxy with certificates of its own, say.
$(VENV)/torch-installed: constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 10) else "kbgen needs Python 3.10 or newer, $(PYTHON) is %d.%d: run make setup PYTHON=python3.12 or the like" % sys.version_info[:2])'
	@echo "Installing the tested set into $(VENV), about 2.5 GB: a minute or a few."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt uv torch
	@touch $@

$(VENV)/installed: $(VENV)/torch-installed pyproject.toml constraints.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python $(TESTED) || $(BIN)/python -m pip install --quiet $(TESTED)
	@touch $@

# The repository root is the package: this link lets mypy read it under its import name.
typings/kbgen:
	@mkdir -p typings && ln -sfn .. typings/kbgen
