# make demo | test | test-cpython | test-numpy | sanitize | bench | bench-peers | lint      PYTHON=python3.12 picks another interpreter
# Each target makes what it needs: a virtual environment per Python version, with pijit built and installed in it.

PYTHON ?= python3
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
ifeq ($(filter $(VERSION),3.11 3.12 3.13),)
$(error pijit needs Python 3.11, 3.12 or 3.13; "$(PYTHON)" is $(or $(VERSION),not there). Try: make PYTHON=python3.12)
endif

VENV := .venv-$(VERSION)
RUN := $(VENV)/bin/python
SOURCES := pyproject.toml $(wildcard setup.py csrc/*)
ARGS ?=

# What bench-peers measures against. torch has builds without CUDA, which are enough: PEERS="jax torch==VERSION+cpu"
PEERS ?= jax torch
PEERS_VENV := .venv-peers
VENVS := $(VENV) $(PEERS_VENV)

.PHONY: demo test test-cpython test-numpy sanitize bench bench-peers lint clean

demo: $(VENV)/.ready
	$(RUN) examples/demo.py $(ARGS)

test: $(VENV)/.ready
	$(RUN) -m pytest $(ARGS)

# Test suites of others, under pijit and plainly; ARGS=--everything for all of one, ARGS="test_grammar test_scope" for some files,
# ARGS=--ci for what CI runs of it.
test-cpython: $(VENV)/.ready
	$(RUN) tests/suites/cpython.py $(ARGS)

test-numpy: $(VENV)/.ready
	$(RUN) tests/suites/numpy_.py $(ARGS)

# The C extension under AddressSanitizer and UndefinedBehaviorSanitizer, in a copy of the project of its own: processes that tests start have it, too.
SANITIZED := build/sanitize-$(VERSION)
SANITIZED_TESTS := native test_language.py test_threads.py test_inplace.py test_stores.py test_list_stores.py test_near.py test_around.py test_spare.py \
	test_reductions.py test_takes.py test_draws.py test_forks.py test_made_per_call.py test_farewells.py test_monitoring.py test_watchers.py \
	test_without_frame.py test_budget.py test_unseen.py test_follow.py test_backlog.py test_roll.py test_scatter.py test_histograms.py test_ranges.py test_trial.py test_interruptions.py \
	test_made_at_exits.py test_closures.py test_instances.py test_levels.py test_masks.py test_generators.py test_guard_kinds.py test_replaced.py \
	test_scattered.py test_iterators.py test_lengths.py test_passing.py test_dozing.py \
	test_inline_caches.py test_borrowed.py test_deeds.py test_deeds_sequences.py test_searches.py
SANITIZER := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g
library = $(shell $(CC) -print-file-name=$(1))
sanitize: $(VENV)/.ready
	rm -rf $(SANITIZED)
	mkdir -p $(SANITIZED)
	cp -r pijit csrc tests bench docs examples *.md pyproject.toml $(SANITIZED)
	rm -f $(SANITIZED)/pijit/_native.*.so
	$(RUN) -m pip install --quiet --disable-pip-version-check setuptools
	PIJIT_CFLAGS="$(SANITIZER)" PIJIT_LDFLAGS="$(SANITIZER)" $(RUN) setup.py -q build_ext --build-lib $(SANITIZED) --build-temp $(SANITIZED)/objects
	cd $(SANITIZED) && LD_PRELOAD="$(call library,libasan.so) $(call library,libubsan.so) $(call library,libstdc++.so.6)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=2 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc PYTHONPATH=$(CURDIR)/$(SANITIZED) \
	PIJIT_TEST_SECONDS=1200 $(CURDIR)/$(RUN) -m pytest $(or $(ARGS),$(patsubst %,tests/%,$(SANITIZED_TESTS)))

bench: $(VENV)/.ready
	$(RUN) bench/run.py $(ARGS)

# At one core, and at all of them.
bench-peers: $(PEERS_VENV)/.ready
	$(PEERS_VENV)/bin/python bench/peers.py one O1 $(ARGS)
	$(PEERS_VENV)/bin/python bench/peers.py one O2 $(ARGS)
	$(PEERS_VENV)/bin/python bench/peers.py all O2 $(ARGS)

lint: $(VENV)/.ready
	$(RUN) -m ruff check .
	$(RUN) -m mypy

# The extension is removed first: whether it is out of date is decided here, by the stamp.
$(PEERS_VENV)/.ready: PACKAGES := $(PEERS)
$(VENVS:=/.ready): %/.ready: $(SOURCES) | %/bin/python
	rm -f pijit/_native.cpython-$(subst .,,$(VERSION))*.so
	$*/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test,bench]' $(PACKAGES)
	touch $@

$(VENVS:=/bin/python): %/bin/python:
	$(PYTHON) -m venv $*

# Everything that is built, but not the environments themselves: they take longest and hold nothing of ours.
clean:
	rm -rf build dist *.egg-info pijit/_native.*.so .venv-*/.ready
