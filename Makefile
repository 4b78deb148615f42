# Two commands do all the set-up: `make demo` and `make test`. Assumed: Debian or Raspberry Pi OS, git, make, python3 with venv.
PYTHON ?= python3
# another Python has a venv of its own beside it: PYTHON=python3.13 uses .venv-python3.13
VENV := .venv$(patsubst %,-%,$(filter-out python3,$(notdir $(PYTHON))))
BIN := $(VENV)/bin
# a venv that sees the system's packages keeps seeing them: picamera2 comes from apt
SYSTEM := $(shell grep -qs "include-system-site-packages = true" "$(VENV)/pyvenv.cfg" && echo --system-site-packages)
SHARED ?= ../shared
# what is compiled is kept: tests start programs all the time
unexport PYTHONDONTWRITEBYTECODE
PIP = "$(BIN)/python" -m pip install -q --disable-pip-version-check
# every package by its hash, then ourselves by the setuptools among them: nothing comes that is not listed
# tests import a quarter of all modules: what is imported is compiled then, which saves half of the installation
install = @. docs/setup/apt.sh; pip_install $(PIP) $(2) --require-hashes -r requirements/$(1).txt && pip_install $(PIP) --no-deps --no-build-isolation -e .

.PHONY: demo hub test quick nightly versions check audit bench soak pi release arm64 clean

demo: $(VENV)/.run
	"$(BIN)/companion" demo $(ARGS)

# Keeps events: prints the organiser's link and the code for everybody's phones.
hub: $(VENV)/.hub
	"$(BIN)/companion" hub $(ARGS)

# One thread for numpy's algebra and for OpenCV in each of pytest's processes: more only wait for each other.
test quick nightly check: export OPENBLAS_NUM_THREADS = 1
test quick nightly check: export OPENCV_FOR_THREADS_NUM = 1
PYTEST = "$(BIN)/python" -m pytest -n auto --dist worksteal
# Under five minutes on two cores: every rule, every route, a browser's journey through each page, pictures of each reader.
test: $(VENV)/.dev
	$(PYTEST) -m "not nightly" $(ARGS)

# Under a minute: the rules, the match and the routes.
quick: $(VENV)/.dev
	$(PYTEST) -m "not slow and not nightly and not browser" tests/companion tests/games tests/event tests/web/test_routes.py tests/web/test_stream.py $(ARGS)

# All tests: every seed of the searches, more positions and input, every page in a browser, kills and soak.
nightly: export RACE_POSITIONS = 60000
nightly: export FUZZ = 400
nightly: export AXE = 1
nightly: $(VENV)/.dev
	$(PYTEST) $(ARGS)
	"$(BIN)/python" -m tests.web.every_page build/pages

# The quick tests on each Python that we support; one that is not on this machine is named.
PYTHONS ?= python3.11 python3.13
versions:
	@for one in $(PYTHONS); do \
	  if $$one -c "" 2>/dev/null; then $(MAKE) quick PYTHON=$$one || exit 1; else echo "$$one does not run here: not checked" >&2; fi; done

check: $(VENV)/.dev
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	"$(BIN)/mypy"
	@$(MAKE) -s audit
	$(PYTEST) -m "not nightly" $(ARGS)

# Known faults of the packages that run, as PyPI knows them. Without a network it says so and that is all.
audit: $(VENV)/.dev
	@"$(BIN)/python" -m tests.audit requirements/pi.txt

bench: $(VENV)/.peers
	"$(BIN)/python" -m bench --shared "$(SHARED)" $(ARGS)

# 300 kills, full and damaged disks, phones that flood, each fix taken out, six simulated hours at one table (writes docs/reliability.md); an event of 60 tables whose broker and hub are killed; whole matches by picture and reader, half of them disturbed: MATCHES of each game that plays itself.
MATCHES ?= 20
soak: $(VENV)/.dev
	"$(BIN)/python" -m tests.faults all --count 300
	"$(BIN)/python" -m tests.faults fixes
	"$(BIN)/python" -m bench.load hours --hours 6 --write
	"$(BIN)/python" -m bench.load soak --tables 60
	for game in eyes_of_the_emperor basic_manipulation center_point "suspend --option mode=beginner --seats 4" "suspend --seats 3" \
	    "suspend --option mode=expert --seats 2" "suspend --seats 1"; do \
	  "$(BIN)/companion" demo --game $$game --autoplay $$(( $(MATCHES) / 2 )) $(ARGS) && \
	  "$(BIN)/companion" demo --game $$game --autoplay $$(( $(MATCHES) / 2 )) --disturb $(ARGS) || exit 1; done
	for seats in 2 3 4 5; do for trouble in "" --disturb; do \
	  "$(BIN)/companion" demo --game manipulation_rummy --seats $$seats --autoplay $$(( ($(MATCHES) + 7) / 8 )) \
	    $$trouble $(ARGS) || exit 1; done; done

$(VENV)/.run: pyproject.toml requirements/run.txt
	@sh docs/setup/packages.sh run
	$(PYTHON) -m venv $(SYSTEM) "$(VENV)"
	$(call install,run)
	@touch "$@"

$(VENV)/.hub: pyproject.toml requirements/hub.txt
	@sh docs/setup/packages.sh run
	$(PYTHON) -m venv $(SYSTEM) "$(VENV)"
	$(call install,hub)
	@touch "$@" "$(VENV)/.run"

$(VENV)/.dev: pyproject.toml requirements/dev.txt
	@sh docs/setup/packages.sh test
	$(PYTHON) -m venv $(SYSTEM) "$(VENV)"
	$(call install,dev,--no-compile)
	@touch "$@" "$(VENV)/.run" "$(VENV)/.hub"

# Who is measured beside us, where PyPI has it ready for this machine; the benches say who is missing.
$(VENV)/.peers: $(VENV)/.dev requirements/peers.txt
	@. docs/setup/apt.sh; pip_install $(PIP) --only-binary :all: --require-hashes -r requirements/peers.txt || \
	  echo "Not every peer can be installed here: what is measured beside them is left out, and said."
	@touch "$@"

# Installs this checkout as the appliance: its Debian package, built here. It can be run again at any time.
pi: SUDO = $(if $(filter 0,$(shell id -u)),,sudo)
pi:
	@sudo="$(SUDO)"; . docs/setup/apt.sh; deb="$$(sh docs/setup/deb/build.sh build | tail -1)" && \
	  apt_install "./$$deb" $$(apt-cache madison python3-picamera2 python3-lgpio | awk '{print $$1}' | sort -u)

# A signed release for arm64 in build/release: `make release KEY=FILE`. docs/release.md says how.
VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"$$/\1/p' companion/__init__.py)
release: $(VENV)/.run
	@test -z "$$(git status --porcelain)" || \
	  { echo "make release: this checkout has changes, expected a clean one: see git status" >&2; exit 1; }
	@test "$$(git describe --tags --exact-match 2>/dev/null)" = "v$(VERSION)" || \
	  { echo "make release: this commit is not tagged v$(VERSION), expected the tag of companion.__version__" >&2; exit 1; }
	@grep -q "^## $(VERSION)$$" CHANGELOG.md || { echo "make release: CHANGELOG.md has no section $(VERSION)" >&2; exit 1; }
	KEY="$(KEY)" sh docs/setup/release.sh build/release

# The release in Debian roots for arm64, by emulation (as root, some hours): before each release. KEY=FILE tries build/release itself.
arm64: $(VENV)/.dev
	KEY="$(KEY)" sh tests/appliance/arm64.sh build/arm64 $(ARGS)

clean:
	rm -rf .venv .venv-* build dist *.egg-info
