# Raddle: a thin front for CMake. `make demo` shows what it does, `make test` runs every test.
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)

.PHONY: all configure demo test unit fuzz fuzz-short fuzz-files e2e e2e-slow bench tidy format install uninstall clean packages test-packages cross
.PHONY: checked run-unit run-fuzz-short run-fuzz-files-short run-tidy run-e2e run-checked

all: packages configure
	@cmake --build $(BUILD) -j $(JOBS) -- --no-print-directory -s

packages:
	@cmake/packages.sh build
test-packages:
	@cmake/packages.sh test

configure: packages
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

demo: all
	@sh examples/demo.sh $(BUILD)

# tests that are one process at a time run beside each other; the end-to-end tests have the machine for themselves
test: test-packages all checked
	@cmake --build $(BUILD) --target unit fuzz fuzz_files pure_bench -j $(JOBS) -- --no-print-directory -s
	@$(MAKE) --no-print-directory -j 4 --output-sync=target run-tidy run-unit run-fuzz-short run-fuzz-files-short run-checked cross
	@$(MAKE) --no-print-directory run-eval-short
	@$(MAKE) --no-print-directory run-e2e

# a build that also evaluates the costly invariants (RD_ASSERT), and the tests that run on it
CHECKED = $(BUILD)/checked
CHECKED_E2E = bug/deadlock ok/misuse bug/misuse barrier ok/omp_ bug/omp_ ok/signal_ test_snapshot
checked: packages
	@cmake -S . -B $(CHECKED) -DRADDLE_CHECKED=ON >$(BUILD)-checked.log 2>&1 || { cat $(BUILD)-checked.log; exit 1; }
	@rm -f $(BUILD)-checked.log
	@cmake --build $(CHECKED) -j $(JOBS) -- --no-print-directory -s
	@cmake --build $(CHECKED) --target unit fuzz -j $(JOBS) -- --no-print-directory -s
run-checked:
	@$(CHECKED)/unit >$(CHECKED)/unit.log 2>&1 || { cat $(CHECKED)/unit.log; exit 1; }
	@$(CHECKED)/fuzz --short
	@python3 tests/e2e/run.py --raddle $(CHECKED)/raddle --build $(CHECKED)/tests --times 1 --jobs 1 $(CHECKED_E2E) \
	  >$(CHECKED)/e2e.log 2>&1 || { cat $(CHECKED)/e2e.log; exit 1; }
	@echo "checked build: $$(tail -n 1 $(CHECKED)/e2e.log)"

unit: all
	@cmake --build $(BUILD) --target unit -j $(JOBS) -- --no-print-directory -s
	@$(BUILD)/unit

run-unit:
	@$(BUILD)/unit
run-fuzz-short:
	@$(BUILD)/fuzz --short
run-fuzz-files-short:
	@python3 tests/fuzz_files/corpus.py $(BUILD)
	@$(BUILD)/fuzz_files --corpus $(BUILD)/fuzz-corpus --inputs 3000
run-tidy:
	@sh tests/tidy/run.sh $(BUILD)
run-e2e:
	@python3 tests/e2e/run.py --raddle $(BUILD)/raddle --build $(BUILD)/tests

# the searches against brute force over random programs, e.g. FUZZ='--programs 100000 --seed 1 --strategy dpor'
fuzz fuzz-short: all
	@cmake --build $(BUILD) --target fuzz -j $(JOBS) -- --no-print-directory -s
	@$(BUILD)/fuzz $(if $(filter fuzz-short,$@),--short,$(FUZZ))

# damaged and hostile schedules and programs through all that reads them, e.g. FUZZ_FILES='--inputs 1000000 --seed 2 --jobs 4'
fuzz-files: all
	@cmake --build $(BUILD) --target fuzz_files -j $(JOBS) -- --no-print-directory -s
	@python3 tests/fuzz_files/corpus.py $(BUILD)
	@$(BUILD)/fuzz_files --corpus $(BUILD)/fuzz-corpus --jobs $(JOBS) $(FUZZ_FILES)

e2e tidy: all
	@$(MAKE) --no-print-directory run-$@

# the slow tests, too, and all that they need
e2e-slow: all
	@cmake/packages.sh slow
	@python3 tests/e2e/run.py --raddle $(BUILD)/raddle --build $(BUILD)/tests --slow

# the runtime for aarch64, where Debian's cross compiler is installed
cross:
	@sh tests/tidy/cross.sh $(BUILD)

bench: test-packages all
	@cmake --build $(BUILD) --target pure_bench -j $(JOBS) -- --no-print-directory -s
	@sh bench/run.sh $(BUILD)

# what the papers measured, measured again: writes docs/evaluation.md (eval-short: checks the shapes only)
.PHONY: eval eval-short run-eval-short
eval: all
	@cmake/packages.sh eval
	@python3 eval/evaluation.py $(BUILD)/raddle $(BUILD)/eval $(EVAL)
eval-short: all
	@$(MAKE) --no-print-directory run-eval-short
run-eval-short:
	@python3 eval/evaluation.py $(BUILD)/raddle $(BUILD)/eval --short

# the documentation site, in build/site: `python3 -m http.server -d build/site` shows it
.PHONY: site
site: all
	@cmake/packages.sh site
	@python3 site/stage.py --raddle $(BUILD)/raddle $(BUILD)/site-source
	@PYTHONPATH=site PYTHONDONTWRITEBYTECODE=1 /usr/bin/mkdocs build --strict --quiet --clean -f $(BUILD)/site-source/mkdocs.yml \
	  -d $(abspath $(BUILD))/site
	@echo "$(BUILD)/site/index.html"

format:
	@git ls-files '*.c' '*.h' | grep -vE '^(tests|eval)/programs/' | xargs clang-format -i

# a .deb, a tarball, and the debug symbols of each, in $(BUILD)/package
.PHONY: package
package: packages
	@cmake/packages.sh package
	@mkdir -p $(BUILD)
	@cmake -S . -B $(BUILD)/package -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_BUILD_TYPE=RelWithDebInfo >$(BUILD)/package.log 2>&1 || \
	  { cat $(BUILD)/package.log; exit 1; }
	@cmake --build $(BUILD)/package -j $(JOBS) -- --no-print-directory -s
	@cd $(BUILD)/package && cpack >../package.log 2>&1 || { cat ../package.log; exit 1; }
	@ls $(BUILD)/package/*.deb $(BUILD)/package/*.ddeb $(BUILD)/package/*.tar.gz

# the man page of the schedule file, from its documentation; all others are made by the build
.PHONY: man
man:
	@python3 cmake/schedule_page.py docs/schedule-format.md >share/man/man5/raddle-schedule.5

install: all
	@cmake --install $(BUILD) --prefix $(PREFIX)
uninstall:
	@cmake -DMANIFEST=$(BUILD)/install_manifest.txt -P cmake/uninstall.cmake

clean:
	@rm -rf $(BUILD)
