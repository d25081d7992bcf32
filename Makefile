# Fission: build, test, package. `make help` lists the targets.

EXE     ?= fission
CARGO   ?= cargo
PYTHON  ?= python3
NODE    ?= node
NPM     ?= npm

# OpenBench's contract: `make EXE=name EVALFILE=network` leaves the program `name` in this folder.
# The build finds the network file in its environment.
ifdef EVALFILE
export EVALFILE := $(abspath $(EVALFILE))
endif

TARGET  := $(or $(CARGO_TARGET_DIR),target)
FISSION := $(TARGET)/release/fission
VENV    := $(TARGET)/python
PEERS   := $(TARGET)/npm
PGO     := $(abspath $(TARGET))/pgo
PROFDATA = $(firstword $(wildcard $(shell rustc --print sysroot)/lib/rustlib/*/bin/llvm-profdata))
PEER    := $(NODE) engine-tests/bridge/peer-uci.js $(PEERS)/node_modules/stockfish-mv.wasm

# `make match` plays this.
TC          ?= 2+0.02
GAMES       ?= 20
CONCURRENCY ?= 1

# `make dist` builds for processors of the last ten years or so (AVX2); x86-64-v2 runs on older ones too.
CPU     ?= x86-64-v3
VERSION  = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
HOST     = $(shell rustc -vV | sed -n 's/^host: //p')

.DEFAULT_GOAL := build
.PHONY: help build pgo run test test-rust test-clients peers bench match measure tablebases dist fmt lint clean

# Fails with one line that says what to install when a program is missing.
need = @command -v $(1) >/dev/null 2>&1 || { echo "make $@: $(1) is missing: $(2)" >&2; exit 1; }
rust   := install Rust 1.95 or newer with rustup
python := install Python 3.9 or newer (Debian: apt-get install python3 python3-venv)
node   := install Node.js 18 or newer (Debian: apt-get install nodejs)
npm    := install npm (Debian: apt-get install npm)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the engine for this processor, as ./fission (EXE=name for another name)
	$(call need,$(CARGO),$(rust))
	$(CARGO) build --release --locked
	cp $(FISSION) $(EXE)

pgo: ## build the fastest engine for this processor: compiled twice, the second time by what the first does most
	$(call need,$(CARGO),$(rust))
	@test -n "$(PROFDATA)" || { echo "make $@: llvm-profdata is missing: rustup component add llvm-tools" >&2; exit 1; }
	rm -rf $(PGO)/profiles
	RUSTFLAGS="-C target-cpu=native -C profile-generate=$(PGO)/profiles" $(CARGO) build --release --locked --target-dir $(PGO)
	$(PGO)/release/fission bench
	$(PGO)/release/fission datagen --positions 30000 --nodes 1000 --seed 1 --out $(PGO)/profiles/games
	$(PROFDATA) merge --output $(PGO)/profiles/all.profdata $(PGO)/profiles/*.profraw
	RUSTFLAGS="-C target-cpu=native -C profile-use=$(PGO)/profiles/all.profdata" $(CARGO) build --release --locked --target-dir $(PGO)
	cp $(PGO)/release/fission $(EXE)

run: ## analyse the start position
	$(call need,$(CARGO),$(rust))
	$(CARGO) run --release --locked --quiet -- analyse --depth 20

test: lint test-rust test-clients ## run every check: format, clippy, Rust tests, client tests

test-rust: ## run only the tests that need nothing but Rust
	$(call need,$(CARGO),$(rust))
	$(CARGO) test --locked

test-clients: $(VENV)/ready $(PEERS)/ready ## run only the tests that drive the engine as a chess client does
	$(CARGO) build --release --locked
	FISSION="$(abspath $(FISSION))" FISSION_PEER="$(PEER)" $(VENV)/bin/python -m pytest engine-tests/clients

peers: $(PEERS)/ready ## install the engines that Fission is tested against

bench: ## print the node count that is this version's signature, and the speed
	$(CARGO) run --release --locked --quiet -- bench

match: $(PEERS)/ready ## play a short match against the multi-variant Stockfish
	$(CARGO) build --release --locked
	$(FISSION) match --engine name=fission --engine cmd="$(PEER)" name=stockfish-mv \
	    --tc $(TC) --games $(GAMES) --concurrency $(CONCURRENCY) --seed 1 --journal $(TARGET)/match.journal

measure: $(VENV)/ready $(PEERS)/ready ## measure speed, latency and memory (the README's table)
	$(CARGO) build --release --locked
	@for script in nps threads perft latency memory verdicts analysis mates; do echo; echo "== $$script"; \
	    FISSION="$(abspath $(FISSION))" FISSION_PEER="$(PEER)" $(VENV)/bin/python engine-tests/measure/$$script.py || exit 1; done

tablebases: ## compute the endgame tables that the program carries anew (the same to the byte each time)
	$(CARGO) build --release --locked
	rm -rf $(TARGET)/tablebases
	$(FISSION) tablebase build --men 4 $(TARGET)/tablebases
	$(FISSION) tablebase pack $(TARGET)/tablebases src/endgame/endings.tables

dist: ## make a release archive for any recent processor (CPU=x86-64-v2 for older ones)
	$(call need,$(CARGO),$(rust))
	RUSTFLAGS="-C target-cpu=$(CPU) -C strip=symbols" $(CARGO) build --release --locked --target-dir $(TARGET)/dist
	rm -rf $(TARGET)/dist/package
	mkdir -p $(TARGET)/dist/package/fission-$(VERSION)
	cp $(TARGET)/dist/release/fission README.md CHANGELOG.md LICENSE $(TARGET)/dist/package/fission-$(VERSION)/
	tar -C $(TARGET)/dist/package --owner=0 --group=0 --numeric-owner -czf \
	    $(TARGET)/dist/fission-$(VERSION)-$(HOST)-$(CPU).tar.gz fission-$(VERSION)
	@echo "made $(TARGET)/dist/fission-$(VERSION)-$(HOST)-$(CPU).tar.gz"

fmt: ## format the Rust code
	$(CARGO) fmt

lint: ## check format and clippy, changing nothing
	$(call need,$(CARGO),$(rust))
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets --locked -- -D warnings

clean: ## remove everything that was built or installed
	$(CARGO) clean
	rm -f $(EXE)

$(VENV)/ready: engine-tests/clients/requirements.txt
	$(call need,$(PYTHON),$(python))
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	    { echo "make $@: $(PYTHON) lacks its venv module: $(python)" >&2; exit 1; }
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

$(PEERS)/ready: engine-tests/bridge/package.json
	$(call need,$(NODE),$(node))
	$(call need,$(NPM),$(npm))
	mkdir -p $(PEERS)
	cp $< $(PEERS)/package.json
	$(NPM) install --prefix $(PEERS) --no-audit --no-fund --no-package-lock --loglevel=error
	touch $@
