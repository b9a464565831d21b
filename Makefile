# nvim-agent-diff: `make help` lists what there is. Needs Go and make; everything else it gets by itself, into a private
# folder in the user's cache ($NVIM_AGENT_DIFF_CACHE), never onto the machine.

include tools.env

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BINARY := bin/nvim-agent-diff
GO ?= go

# `make test NVIM=0.10.4` names the Neovims to test on. From the command line only: inside Neovim's own terminal the
# environment holds a variable of that name, an address, and the tests must not see either of the two.
ifeq ($(origin NVIM),command line)
TEST_VERSIONS := $(NVIM)
endif
unexport NVIM

# What to test; `make test PKG=./hunks/... RUN=TestApply`.
PKG ?= ./...
RUN ?=
TEST_FLAGS = -count=1 -timeout 30m $(if $(RUN),-run '$(RUN)')

# The race detector needs a C compiler. Without one the tests still run, and say that they ran without it.
RACE = $$(scripts/race-flag.sh)

BENCH ?= .
FUZZTIME ?= 10s

LUA_FILES = $$(find . -name '*.lua' -not -path '*/testdata/*' -not -path './.git/*' | sort)
SHELL_FILES = scripts/*.sh .ci/run

.PHONY: help
help: ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## build bin/nvim-agent-diff
	$(GO) build -trimpath -o $(BINARY) ./cmd/nvim-agent-diff

.PHONY: demo
demo: build ## show a review on an example (scripted, without a screen, when there is no terminal)
	@nvim="$$(scripts/find-nvim.sh)"; NVIM_BIN="$$nvim" $(BINARY) demo

.PHONY: test
test: vet ## run every test, on every Neovim (NVIM=0.10.4: on that one; PKG=./hunks RUN=TestX: only those)
	@nvims="$${TEST_NVIMS:-$$(scripts/test-nvims.sh $(TEST_VERSIONS))}"; race="$(RACE)"; \
	echo "testing on $$nvims"; \
	TEST_NVIMS="$$nvims" scripts/test.sh '$(PKG)' $$race $(TEST_FLAGS)

.PHONY: check
check: fmt-check lint build test ## everything that CI does

.PHONY: test-agents
test-agents: build ## run the real agents, without a net, against a model of ours (fetches 1.1 GB; ONLY="codex gate": only those)
	@modules="$$(scripts/fetch-agents.sh)"; nvim="$$(scripts/test-nvims.sh $(or $(NVIM),$(NVIM_NEWEST)))"; \
	$(GO) build -o bin/test-agents ./test/agents; \
	bin/test-agents -modules "$$modules" -nvim "$$nvim" -program $(BINARY) -table docs/agents.md -logs bin/test-agents-logs -only "$(ONLY)"

.PHONY: vet
vet: ## go vet
	$(GO) vet $(PKG)

.PHONY: lint
lint: lint-go lint-lua lint-sh ## check Go, Lua and the scripts for mistakes

.PHONY: lint-go
lint-go:
	@tool="$$(scripts/fetch-tool.sh golangci-lint)"; set -x; "$$tool" run ./...
	$(GO) mod tidy -diff

.PHONY: lint-lua
lint-lua:
	@tool="$$(scripts/fetch-tool.sh luacheck)"; set -x; "$$tool" --quiet --no-color $(LUA_FILES)

.PHONY: lint-sh
lint-sh:
	@tool="$$(scripts/fetch-tool.sh shellcheck)"; set -x; "$$tool" --external-sources $(SHELL_FILES)

.PHONY: fmt
fmt: ## format Go and Lua
	@tool="$$(scripts/fetch-tool.sh golangci-lint)"; set -x; "$$tool" fmt ./...
	@tool="$$(scripts/fetch-tool.sh stylua)"; set -x; "$$tool" scripts/stylua.mjs $(LUA_FILES)

.PHONY: fmt-check
fmt-check: fmt-check-go fmt-check-lua ## say what fmt would change

.PHONY: fmt-check-go
fmt-check-go:
	@tool="$$(scripts/fetch-tool.sh golangci-lint)"; set -x; "$$tool" fmt --diff ./...

.PHONY: fmt-check-lua
fmt-check-lua:
	@tool="$$(scripts/fetch-tool.sh stylua)"; set -x; "$$tool" scripts/stylua.mjs --check $(LUA_FILES)

.PHONY: help-file
help-file: ## write the lists of keys and options in doc/agent-diff.txt from lua/agent_diff/config.lua
	@"$$(scripts/find-nvim.sh)" -l scripts/help.lua

.PHONY: bench
bench: build ## measure the program with a real Neovim (the newest), next to the floor and the goals
	@nvim="$$(scripts/test-nvims.sh $(or $(NVIM),$(NVIM_NEWEST)))"; \
	$(GO) run ./test/bench -nvim "$$nvim" -program bin/nvim-agent-diff

.PHONY: conformance
conformance: build ## run the MCP conformance suite against the server (fetches it by npm, 50 MB)
	@suite="$$(scripts/fetch-conformance.sh)"; results="$$(mktemp -d)"; trap 'rm -rf "$$results"' EXIT; \
	$(GO) run ./test/conformance -program "$$PWD/$(BINARY)" node "$$suite" server --url '{url}' \
		--expected-failures test/conformance/not-ours.yml --output-dir "$$results"

.PHONY: bench-go
bench-go: ## run the Go benchmarks of the packages (BENCH=Name: only those)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 30m $(PKG)

.PHONY: pictures
pictures: build ## take the README's pictures anew, of the newest Neovim
	@nvim="$$(scripts/test-nvims.sh $(or $(NVIM),$(NVIM_NEWEST)))"; \
	$(GO) run ./test/pictures -nvim "$$nvim" -program $(BINARY)

.PHONY: fuzz
fuzz: ## let every fuzz test run for FUZZTIME (10s)
	scripts/fuzz.sh $(FUZZTIME) $(PKG)

.PHONY: soak
soak: ## make 1,000 proposals in one process and one Neovim, and see whether anything grows
	@nvims="$${TEST_NVIMS:-$$(scripts/test-nvims.sh $(TEST_VERSIONS))}"; \
	TEST_NVIMS="$$nvims" SOAK_ROUNDS=1000 $(GO) test -count=1 -timeout 20m -v -run '^TestSoak$$' ./test

.PHONY: cover
cover: ## measure what the tests reach, over all packages: coverage/index.html
	@mkdir -p coverage; \
	nvims="$${TEST_NVIMS:-$$(scripts/test-nvims.sh $(TEST_VERSIONS))}"; \
	TEST_NVIMS="$$nvims" $(GO) test $(TEST_FLAGS) -coverpkg=./... -coverprofile=coverage/profile $(PKG)
	$(GO) tool cover -html=coverage/profile -o coverage/index.html
	$(GO) tool cover -func=coverage/profile | tail -n 1

.PHONY: clean
clean: ## remove what was built (what was fetched stays in the user's cache)
	rm -rf bin coverage
