# crosscut. A new file under src/, test/ or bench/ needs no edit here: sources are what the folders hold.
#
#   make            build/crosscut, one program that runs from where it lies
#   make demo       install what is missing, build, run the main job on the bundled service
#   make test       install what is missing, build, run the tests
#   make check      the whole law: tests under sanitizers, fuzzers, layers, headers, sizes, rows, documentation, kernels
#   make kernels    boot other kernels in emulation and calibrate in each
#   make bench      crosscut and its peers side by side
#   make install    PREFIX=/usr/local DESTDIR=

VERSION := 0.1.0
PREFIX  ?= /usr/local
BUILD   ?= build
CC      ?= gcc
CLANG   ?= clang
JOBS    ?= $(shell nproc)
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /usr/bin/bpftool) bpftool)

BPF_SRC := $(wildcard src/*/*.bpf.c)
SRC     := $(filter-out %.bpf.c,$(wildcard src/*.c src/*/*.c))
OBJ     := $(SRC:src/%.c=$(BUILD)/obj/%.o)
SAN_OBJ := $(SRC:src/%.c=$(BUILD)/san/%.o)
BPF_OBJ := $(BPF_SRC:src/%.c=$(BUILD)/bpf/%.o)
SKEL    := $(BUILD)/gen/crosscut.skel.h
PAGE    := $(BUILD)/web/page.html
HELP    := $(BUILD)/gen/help_pages.h

WARN     := -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla
CFLAGS   ?= -O2 -g
CPPFLAGS += -D_GNU_SOURCE -DCROSSCUT_VERSION='"$(VERSION)"' -Isrc -I$(BUILD)/gen
LANGUAGE := -std=gnu17 -fno-omit-frame-pointer
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined
LDLIBS   := -lbpf -ldw -lelf -llzma -ljansson -lsqlite3 -lzstd -lz -lbz2 -liberty -linih -lpthread -lm

# `make V=1` shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$@' && )

all: $(BUILD)/crosscut $(BUILD)/libcrosscut-heap.so mercury

$(BUILD)/crosscut: $(OBJ)
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/crosscut-san: $(SAN_OBJ)
	$(call say,LINK)$(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# What is preloaded into commands: no library but the C library, and nothing that a sanitizer would add.
$(BUILD)/libcrosscut-heap.so: $(wildcard shim/*.[ch]) src/wire/heap_channel.h
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(LANGUAGE) $(WARN) -D_GNU_SOURCE -Isrc -I. -O2 -g -fPIC -fvisibility=hidden -fno-builtin -shared -Wl,-z,now \
		-o $@ $(wildcard shim/*.c)

$(BUILD)/obj/%.o: src/%.c | $(SKEL)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(LANGUAGE) $(WARN) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/san/%.o: src/%.c | $(SKEL)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(LANGUAGE) $(WARN) $(CPPFLAGS) -O1 -g $(SANITIZE) -MMD -MP -c -o $@ $<

$(BUILD)/obj/view/html.o $(BUILD)/san/view/html.o: $(PAGE)
$(BUILD)/obj/view/html.o $(BUILD)/san/view/html.o: CPPFLAGS += -DCROSSCUT_PAGE='"$(abspath $(PAGE))"'

$(BUILD)/obj/command/help.o $(BUILD)/san/command/help.o: $(HELP)

# The demo carries the runbook of the examples as a text.
RUNBOOK := $(BUILD)/gen/mercury_runbook.h
$(BUILD)/obj/command/cmd_demo.o $(BUILD)/san/command/cmd_demo.o: $(RUNBOOK)

$(RUNBOOK): examples/mercury/mercury.ini
	@mkdir -p $(@D)
	sed -e 's/["\\]/\\&/g' -e 's/.*/"&\\n"/' $< > $@.new && mv $@.new $@

$(HELP): tool/build_help $(sort $(wildcard doc/crosscut-*.md))
	@mkdir -p $(@D)
	tool/build_help $(sort $(wildcard doc/crosscut-*.md)) > $@.new && mv $@.new $@

$(PAGE): tool/build_page $(wildcard web/*)
	@mkdir -p $(@D)
	$(call say,PAGE)tool/build_page web $@

# The kernel half declares the types it reads and is relocated at load: it builds where no BTF is.
$(BUILD)/bpf/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CLANG)$(CLANG) -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -Wall -Wextra -Werror -Wno-unused-parameter -Isrc $(BPF_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/crosscut.bpf.o: $(BPF_OBJ)
	$(call say,BPFTOOL)$(BPFTOOL) gen object $@ $^

$(SKEL): $(BUILD)/crosscut.bpf.o
	@mkdir -p $(@D)
	$(call say,BPFTOOL)$(BPFTOOL) gen skeleton $< name crosscut_bpf > $@.new && mv $@.new $@

# --- Mercury: one source, four services, and its load ----------------------------------------------------------
MERCURY_FLAGS := -std=gnu17 $(WARN) -D_GNU_SOURCE -O2 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -Iexamples/mercury
MERCURY_SRC   := $(wildcard examples/mercury/service/*.c examples/mercury/common/*.c)
MERCURY_ALL   := $(wildcard examples/mercury/*/*.[ch])
MERCURY       := $(addprefix $(BUILD)/mercury-,baseline candidate restored reverted)

mercury: $(MERCURY) $(BUILD)/mercury-load

$(MERCURY): $(BUILD)/mercury-%: $(MERCURY_ALL)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(MERCURY_FLAGS) -DMERCURY_$(shell echo $* | tr a-z A-Z) -o $@ $(MERCURY_SRC) -lpthread -lm

$(BUILD)/mercury-load: $(MERCURY_ALL)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(MERCURY_FLAGS) -o $@ $(wildcard examples/mercury/load/*.c examples/mercury/common/*.c) -lpthread -lm

# --- Tests ------------------------------------------------------------------------------------------------------
UNIT := $(patsubst test/unit/%.c,$(BUILD)/test/%,$(wildcard test/unit/*/test_*.c))
FUZZ := $(patsubst test/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard test/fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 10
# clang goes on after undefined behaviour unless told not to, and does not look at casts of floating point by default
FUZZ_SANITIZE := -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all

$(BUILD)/test/%: test/unit/%.c $(filter-out $(BUILD)/san/main.o,$(SAN_OBJ))
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(LANGUAGE) $(WARN) $(CPPFLAGS) -Itest -O1 -g $(SANITIZE) -MMD -MP -MF $@.d -o $@ $< \
		$(filter-out $(BUILD)/san/main.o,$(SAN_OBJ)) -lcmocka $(LDLIBS)

# Fuzzers are built by clang from source, of the folders that read what others wrote and of what those include. Built once
# more without sanitizers, they tell which lines an input reaches: tool/fuzz_coverage.
FUZZ_FOLDERS := base wire profile classify format unwind symbol interpreter probe work
FUZZ_SRC     := $(filter $(FUZZ_FOLDERS:%=src/%/%),$(SRC))
FUZZ_FLAGS   := -std=gnu17 $(CPPFLAGS) -O1 -g -fsanitize=fuzzer-no-link
COVER_FLAGS  := -fprofile-instr-generate -fcoverage-mapping

$(BUILD)/fuzz/obj/%.o: src/%.c | $(SKEL)
	@mkdir -p $(@D)
	$(call say,CLANG)$(CLANG) $(FUZZ_FLAGS) $(FUZZ_SANITIZE) -MMD -MP -c -o $@ $<

$(BUILD)/fuzz/%: test/fuzz/%.c $(FUZZ_SRC:src/%.c=$(BUILD)/fuzz/obj/%.o)
	@mkdir -p $(@D)
	$(call say,LINK)$(CLANG) $(FUZZ_FLAGS) $(FUZZ_SANITIZE) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

$(BUILD)/fuzz/cover/obj/%.o: src/%.c | $(SKEL)
	@mkdir -p $(@D)
	$(call say,CLANG)$(CLANG) $(FUZZ_FLAGS) $(COVER_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/fuzz/cover/%: test/fuzz/%.c $(FUZZ_SRC:src/%.c=$(BUILD)/fuzz/cover/obj/%.o)
	@mkdir -p $(@D)
	$(call say,LINK)$(CLANG) $(FUZZ_FLAGS) $(COVER_FLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

# What is compiled can be tested without set-up: `make unit`. What a stranger types is `make test`.
unit: $(UNIT)
	tool/run_tests $(UNIT)

SCRIPTS := $(sort $(wildcard test/*/run))

test:
	tool/setup build test
	$(MAKE) -j$(JOBS) all $(BUILD)/crosscut-san test-programs
	$(MAKE) tests

# Run again by `make check` only where something has changed since they passed.
tests:
	BUILD=$(BUILD) tool/run_tests $(UNIT) $(SCRIPTS)
	@touch $(BUILD)/tests-passed

$(BUILD)/tests-passed: $(BUILD)/crosscut $(BUILD)/crosscut-san $(UNIT) $(shell find test tool examples doc -type f)
	$(MAKE) tests

test-programs: $(UNIT)

fuzz: $(FUZZ)
	BUILD=$(BUILD) tool/run_fuzzers $(FUZZ_SECONDS) $(FUZZ)

fuzz-coverage:
	tool/setup build test
	BUILD=$(BUILD) JOBS=$(JOBS) tool/fuzz_coverage

demo:
	tool/setup build
	$(MAKE) -j$(JOBS) all
	$(BUILD)/crosscut demo --directory $(BUILD) --html mercury.html --force

check:
	tool/setup build test kernels
	$(MAKE) -j$(JOBS) all $(BUILD)/crosscut-san test-programs
	tool/check_format
	tool/check_layers
	tool/check_headers
	tool/check_sizes
	tool/check_rows
	tool/check_documentation
	tool/check_licences
	tool/check_bpf $(BUILD)/crosscut.bpf.o
	$(MAKE) $(BUILD)/tests-passed
	$(MAKE) -j$(JOBS) fuzz
	$(MAKE) kernels

kernels: all
	tool/setup build kernels
	BUILD=$(BUILD) tool/kernels

# What any tracer of switches and wake-ups costs: bench/futex loads it beside crosscut.
$(BUILD)/bench/floor: bench/floor.c $(BUILD)/bench/floor.bpf.o
	$(call say,CC)$(CC) $(LANGUAGE) $(WARN) -D_GNU_SOURCE -O2 -o $@ $< -lbpf

$(BUILD)/bench/%.bpf.o: bench/%.bpf.c
	@mkdir -p $(@D)
	$(call say,CLANG)$(CLANG) -g -O2 -target bpf -mcpu=v3 -Wall -Wextra -Werror -Wno-unused-parameter -Isrc -c -o $@ $<

bench: all
	tool/setup build bench
	$(MAKE) $(BUILD)/bench/floor
	BUILD=$(BUILD) bench/run

install: all
	tool/install $(BUILD) "$(DESTDIR)$(PREFIX)"

clean:
	rm -rf $(BUILD) mercury.html

.PHONY: all mercury unit test tests test-programs fuzz fuzz-coverage demo check kernels bench install clean
.DELETE_ON_ERROR:
.SECONDARY:
-include $(OBJ:.o=.d) $(SAN_OBJ:.o=.d) $(BPF_OBJ:.o=.d) $(FUZZ_SRC:src/%.c=$(BUILD)/fuzz/obj/%.d) $(FUZZ_SRC:src/%.c=$(BUILD)/fuzz/cover/obj/%.d)
