SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

FUZZTIME ?= 10s
FLEETS ?= 20000
# Each is rendered with four hostile changes, so they take as long as the others.
HOSTILE ?= $(shell expr $(FLEETS) / 5)
# How many of their VMs are imported again.
IMPORTED ?= $(FLEETS)
# One process checks as many, and grows: cobra keeps the options of every command
# that has run, to complete them (v1.10.2, completions.go, flagCompletionFunctions).
BATCH := 4000
EXAMPLE ?= examples/acp
PLATFORMS ?= linux/amd64,linux/arm64

LINT := bin/golangci-lint
# What releases are made with. Each has a module of its own, so that it is built from
# the versions that its authors test.
RELEASE_TOOLS := bin/cosign bin/syft bin/helm
ADMISSION := test/admission test/admission/kubevirt test/admission/cdi
# Nested modules that are tested with a plain "go test": Argo CD's own code, the image, the schemas in editors, what KubeVirt does
# with edits, metrics and alerts, the recipes, kustomize and kpt, what releases are made with. What takes longest is first.
NESTED := test/impact test/image test/argocd test/metrics test/recipes test/krm test/flux test/editor tools/release
# Other versions of KubeVirt that the judge of test/impact is built with, each by a go.mod of its own. SAMPLED tries some of the
# edits wherever NESTED is tested, the others all of them at night.
JUDGE := test/impact/judge
VERSIONS := $(patsubst $(JUDGE)/%,%,$(wildcard $(JUDGE)/kubevirt/*/v*.mod))
SAMPLED := $(filter %/v1.5.2.mod,$(VERSIONS))
# Packages whose tests can rewrite their golden files.
GOLDEN = $$(grep -rlF --include='*_test.go' '/internal/golden"' cmd pkg internal charts | xargs -n1 dirname | sort -u | sed 's|^|./|')
# Packages that goroutines can be in at the same time: those that start some, and what the pool of VMs runs. The others
# have no races to find.
SHARING := $(addprefix ./pkg/,source template catalog fleet machine validation resolve inventory cloudinit forklift \
	render manifest rollout adopt writeback) \
	./internal/process ./internal/confine ./cmd/vmrender-cmp
# Tests of cmd/vmrender that render many VMs; its scripts test flags and texts.
SHARING_RUN := ^(TestFleets|TestTornInput|TestWrongInput)$$
# Tests in SHARING that build programs of their own, without the detector.
NOT_SHARING := ^(TestMemoryIsBounded|TestLargeFileFits|TestWatchesFirst)$$

##@ Use

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the commands into bin/
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/ ./cmd/...

.PHONY: install
install: ## Install the commands into GOBIN
	CGO_ENABLED=0 go install -trimpath -ldflags '-s -w' ./cmd/...

.PHONY: run
run: ## Render an example fleet (EXAMPLE=examples/acp)
	@go run ./cmd/vmrender template $(EXAMPLE)

.PHONY: image
image: ## Push the image to IMAGE=registry.example.com/vmrender:1 (BASE=, PLATFORMS=linux/amd64,linux/arm64)
	@go -C tools/release run . image -root '$(CURDIR)' -image '$(IMAGE)' -base '$(BASE)' -platforms '$(PLATFORMS)'

##@ Change

.PHONY: test
test: ## Run the tests
	go test -timeout 30m ./...

.PHONY: race
race: ## Run the tests of what goroutines share under the race detector
	CGO_ENABLED=1 go test -race -skip '$(NOT_SHARING)' $(SHARING)
	CGO_ENABLED=1 go test -race -run '$(SHARING_RUN)' ./cmd/vmrender

.PHONY: fmt
fmt: $(LINT) ## Format the code and its imports
	$(LINT) fmt ./...

.PHONY: lint
lint: $(LINT) ## Check style and common mistakes
	$(LINT) run ./...

.PHONY: generate
generate: ## Write the generated files: schema and reference
	go generate ./...

.PHONY: versions
versions: ## Raise the versions of the charts that have changed since theirs
	go run ./internal/gen raise-versions

.PHONY: golden
golden: ## Rewrite the golden files; read the diff before you commit it
	go test $(GOLDEN) -update

.PHONY: clean
clean: ## Remove what was built
	rm -rf bin dist

##@ Prove

.PHONY: verify
verify: ## Check that generated files and go.mod files are up to date
	@.ci/verify

.PHONY: fuzz
fuzz: ## Run every fuzz target for a while (FUZZTIME=10s)
	@FUZZTIME=$(FUZZTIME) .ci/fuzz

.PHONY: fleets
fleets: ## Check generated fleets from seed 1, or FIRST (FLEETS=20000), import as many VMs (IMPORTED=), and try hostile changes (HOSTILE=4000)
	@cd cmd/vmrender && check() { \
		for done in $$(seq 0 $(BATCH) $$(($$2 - 1))); do \
			go test -count=1 -run "^$$1$$" -timeout 60m \
				-fleets $$(($$2 < $(BATCH) ? $$2 : $(BATCH))) -first $$(($(or $(FIRST),1) + done)) || return; \
		done; \
	}; check TestFleets $(FLEETS) && check TestPromises $(HOSTILE)
	@go test -count=1 -v -run '^TestGenerated$$' -timeout 60m ./pkg/adopt -machines $(IMPORTED) -first $(or $(FIRST),1)

.PHONY: mutate
mutate: ## Break promises of the product one at a time; list what no test notices (ONLY=pkg/resolve)
	@go run ./internal/mutate $(ONLY)

.PHONY: admission $(ADMISSION)
admission: $(ADMISSION) ## Judge rendered VMs by KubeVirt's and CDI's own admission code
$(ADMISSION):
	cd $@ && go vet ./... && go test -count=1 -timeout 30m ./...

.PHONY: nested $(NESTED)
nested: $(NESTED) impact-sample ## Test with Argo CD's own servers, Lua engine and types; build the image and run it; ask an editor's language server; judge metrics and alerts; run the recipes; build with kustomize and kpt
$(NESTED):
	cd $@ && go vet ./... && go test -count=1 -timeout 30m ./...

.PHONY: impact impact-sample impact-versions
impact: test/impact impact-sample ## Compare plans with what KubeVirt does with edits
impact-sample: | test/impact
	cd $(JUDGE) && go test -count=1 -timeout 30m -modfile=$(SAMPLED) ./trials -sample 24
impact-versions: ## Try all edits in other versions of KubeVirt (VERSIONS=kubevirt/1.5/v1.5.2.mod, UPDATE=-update)
	cd $(JUDGE) && for mod in $(VERSIONS); do \
		go vet -modfile=$$mod ./... && go test -count=1 -timeout 60m -modfile=$$mod ./trials $(UPDATE) || exit; \
	done

.PHONY: pages
pages: ## Look at the web pages and the diagrams in headless Chromium
	cd test/pages && go vet ./... && go test -count=1 ./...

.PHONY: e2e
e2e: ## Sync fleets with real Argo CD into a real API server (RUN=TestName)
	cd test/e2e && go vet ./... && go test -count=1 -p 3 -parallel 8 -timeout 60m $(if $(RUN),-run '$(RUN)') ./...

.PHONY: outages
outages: ## Lose each server in the middle of rollouts, snapshots and restarts (OUTAGE=30m)
	cd test/e2e && OUTAGE=$(or $(OUTAGE),10m) go test -count=1 -timeout 120m -run 'TestOutages|TestRolloutSurvivesAPIServer' .

.PHONY: site
site: ## Of e2e, only what brings examples/site up on played releases of OpenShift (RUN=TestSite/4.20, EVERY=1 for all on each)
	cd test/e2e && go vet ./openshift && EVERY=$(EVERY) go test -count=1 -timeout 120m $(if $(RUN),-run '$(RUN)') ./openshift

# APPLICATIONSxVMS, or APPLICATIONSxVMSxCLUSTERSxCONTROLLERS. The first three without validation determine a model of
# pkg/sizing, the first two with it what it adds, and the others confirm both. 25x200 is a twentieth of 100,000 VMs; with
# validation, it would take half an hour.
SIZES ?= 25x1:unvalidated,8x40:unvalidated,25x200:unvalidated,3x100:unvalidated,10x20:unvalidated,25x1,10x12,5x25,8x10x2x2

# In memory: a disk would be measured, too.
SCRATCH := $(firstword $(wildcard /dev/shm) $(TMPDIR) /tmp)

.PHONY: scale
scale: ## Of bench, only what Argo CD needs for many Applications, for docs/how-to/scale.md (SIZES=25x200, SCRATCH=DIR)
	cd test/e2e && TMPDIR=$(SCRATCH) go test -count=1 -timeout 300m -v -run TestScale ./scale -sizes '$(SIZES)' -limit 60m -write pkg/sizing/measured.json
	go test ./pkg/sizing -update

.PHONY: bench
bench: ## Measure, and write docs/explanation/performance.md and docs/how-to/scale.md (ONLY=fleets, tools, argocd or repository)
	cd test/bench && go run . -write $(if $(ONLY),-only $(ONLY))
	$(if $(ONLY),,$(MAKE) scale)

.PHONY: bench-check
bench-check: ## Count instructions and bytes of renders; fail if they have grown beyond the targets
	cd test/bench && go run . -gates

.PHONY: ci
ci: ## Run everything that continuous integration runs
	@.ci/run

##@ Release

.PHONY: release
release: $(RELEASE_TOOLS) ## Publish the tag that is checked out (REGISTRY=registry.example.com/vmrender, VERSION=, KEY=); files in dist/
	@go -C tools/release run . publish -root '$(CURDIR)' -dist '$(CURDIR)/dist' -tools '$(CURDIR)/bin' \
		-registry '$(REGISTRY)' -version '$(VERSION)' -key '$(KEY)'

.PHONY: release-dry
release-dry: $(RELEASE_TOOLS) ## Make a release of the commit into dist/ and a registry on this machine, and verify it
	@go -C tools/release run . dry -root '$(CURDIR)' -dist '$(CURDIR)/dist' -tools '$(CURDIR)/bin'

# -count=1: the tests build and run the product, which the cache of test results does not see.
# The linter is built from the versions in tools/go.mod, so that everyone runs the same one.
$(LINT): tools/go.mod tools/go.sum
	go -C tools build -o ../bin/ tool

$(RELEASE_TOOLS): bin/%: tools/%/go.mod tools/%/go.sum
	go -C tools/$* build -ldflags='-s -w' -o ../../bin/ tool
