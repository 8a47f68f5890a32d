# Everything that the project's checks run, one plain line each. Needs Go, git and make; race also needs a C compiler.
# test, race and bench meet PostgreSQL too, where tools/scripts/postgres finds or fetches it.

export CGO_ENABLED := 0

VERSION   := $(shell sed -n 's/^const version = "\(.*\)"/\1/p' cmd/trilith/version.go)
COMMIT    := $(shell git describe --always --dirty --exclude '*' --abbrev=12 2>/dev/null)
BUILD     := go build -trimpath -buildvcs=false -ldflags "-s -w -X main.linked=$(COMMIT)"
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
FUZZTIME  := 30s
FUZZED    := ./
BENCH     := .
COUNT     := 1
PACKAGES  := ./...
# Tests are linked without data for debuggers, which takes a third of the time of linking a hundred programs.
TESTFLAGS := -ldflags=-w -shuffle=on

.DEFAULT_GOAL := help
.PHONY: help build build-all release ui-test test test-whole test-clients test-postgres-18 test-without-postgres test-real check race bench eval fuzz clean

help: ## say what can be done
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/trilith for this machine
	$(BUILD) -o bin/ ./cmd/trilith

build-all: $(PLATFORMS:%=dist/%) ## build dist/ for every platform

dist/%: FORCE
	GOOS=$(*D) GOARCH=$(*F) $(BUILD) -o dist/trilith-$(*D)-$(*F)$(if $(filter windows,$(*D)),.exe) ./cmd/trilith

release: build-all ## make archives, packages, an image, an SBOM and their sums in dist/VERSION
	rm -rf dist/$(VERSION)
	tools/scripts/release dist dist/$(VERSION) $(VERSION)

test: ## run all tests, in random order: a fifth of the random cases, and of what many combinations repeat a sample
	tools/scripts/postgres run -- go test $(TESTFLAGS) -short -timeout 40m ./...

test-whole: ## run all tests with every case
	tools/scripts/postgres run -- go test $(TESTFLAGS) -timeout 40m ./...

test-postgres-18: ## run the tests of what lies on PostgreSQL with version 18
	TRILITH_TEST_POSTGRES= TRILITH_POSTGRES_VERSION=18 tools/scripts/postgres run -- go test $(TESTFLAGS) ./internal/test/pgtest/... ./internal/store/postgres/... ./internal/store/age/...

test-without-postgres: ## run the tests that meet PostgreSQL as on a machine without a server: they skip, and pass
	@files=$$(grep -rlE --include='*_test.go' 'trilith/internal/test/pgtest"|[oO]n(New)?Postgres\b|EveryStore\(' .); \
	TRILITH_TEST_POSTGRES= TRILITH_REQUIRE= go test $(TESTFLAGS) -skip '^Test(Script|ScriptsBesideOwner|Stories|Conversations)$$' \
	  -run "^($$(grep -ho '^func Test[A-Za-z0-9_]*' $$files | cut -d' ' -f2 | sort -u | paste -sd '|'))$$" \
	  $$(printf '%s\n' $$files | xargs -n1 dirname | sort -u) ./internal/test/pgtest

check: ## formatting, vet, staticcheck, known vulnerabilities, go.mod, shape of the code and of the docs
	@files=$$(gofmt -l .); test -z "$$files" || { echo "run gofmt -w on:" $$files; exit 1; }
	go vet ./...
	go tool -modfile=tools/tools.mod staticcheck ./...
	tools/scripts/vulncheck
	go mod tidy -diff
	go test . ./internal/test/house ./internal/test/words

test-clients: ## test the clients for Python and TypeScript, installed from files, with the real program
	tools/scripts/test_clients

ui-test: ## run the tests of the page in Chromium (needs node; installs Chromium where apt-get may)
	tools/scripts/ui-test

race: ## run the tests of PACKAGES=./... (RUN=.: those of a pattern) with the race detector, the stories of the command line once (needs a C compiler)
	@command -v $$(go env CC) >/dev/null || { echo "make race needs a C compiler: apt-get install gcc libc6-dev, or xcode-select --install"; exit 1; }
	CGO_ENABLED=1 tools/scripts/postgres run -- go test -race -shuffle=on -timeout 60m -run '$(or $(RUN),.)' -skip '^TestScripts(BesideOwner|OnPostgres)$$' $(PACKAGES)

bench: ## run every benchmark, or those that BENCH= matches, COUNT= times, as benchstat reads it
	@tools/scripts/postgres run -- go test -run '^$$' -bench '$(BENCH)' -count $(COUNT) -benchmem ./...

eval: ## measure retrieval on an evaluation set: make eval DIR=path/to/set
	@test -n "$(DIR)" || { echo "say which set: make eval DIR=path/to/set (see docs/evaluation.md)"; exit 2; }
	go run ./tools/measure eval "$(DIR)"

test-real: build ## measure facts of talk by rules and by a real model, which is fetched once (1.1 GB); half an hour on two cores
	tools/scripts/model run -- go run ./tools/measure model --program bin/trilith

# By default Go may spend the whole time on making one new input smaller; 50 tries are enough.
fuzz: ## run every fuzz target below FUZZED=./ for FUZZTIME=30s, or with as many inputs as FUZZTIME=10000x says
	@grep -rlE --include='*_test.go' '^func Fuzz' $(FUZZED) | xargs -n1 dirname | sort -u | while read -r dir; do \
	  for target in $$(go test -list '^Fuzz' "$$dir" | grep '^Fuzz'); do \
	    echo "$$dir $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 50x "$$dir" || exit 1; \
	  done; \
	done

clean: ## remove what the targets above have built
	rm -rf bin dist

FORCE:
