# Two commands do all the set-up: `make demo` and `make test`. Assumed: Debian or Raspberry Pi OS, git, make, python3 with venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHARED ?= ../shared

.PHONY: demo test check bench pi clean

demo: $(VENV)/.run
	"$(BIN)/companion" demo $(ARGS)

test: $(VENV)/.dev
	"$(BIN)/python" -m pytest $(ARGS)

check: $(VENV)/.dev
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/mypy"
	"$(BIN)/python" -m pytest $(ARGS)

bench: $(VENV)/.dev
	"$(BIN)/python" -m bench --shared "$(SHARED)" $(ARGS)

$(VENV)/.run: pyproject.toml constraints.txt
	@sh docs/setup/packages.sh run
	$(PYTHON) -m venv "$(VENV)"
	"$(BIN)/python" -m pip install -q --disable-pip-version-check -c constraints.txt -e .
	@touch "$@"

$(VENV)/.dev: pyproject.toml constraints.txt
	@sh docs/setup/packages.sh test
	$(PYTHON) -m venv "$(VENV)"
	"$(BIN)/python" -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch "$@" "$(VENV)/.run"

pi:
	sh docs/setup/pi.sh

clean:
	rm -rf "$(VENV)" build dist *.egg-info
