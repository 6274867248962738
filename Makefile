# Names only: what each target does is in infra/commands and tests/.
# Every target works on one stage: $(STAGES)/$(STAGE).yml.

STAGE ?= local
STAGES ?= inventories
BEGAN := $(shell date +%s.%N)
export STAGE STAGES CONFIRM HOST UNIT FOLLOW BEGAN
export TOPIC FILE SINCE COMPLETENESS PLOT RATE JOB

RUN := .venv/bin/python -m
LIFECYCLE := $(RUN) infra

.DEFAULT_GOAL := help
.PHONY: help deploy plan verify status ssh logs recreate destroy purge test unit lint clean setup inventory lock bench-deploy bench-ingest bench-jobs bench-latency skew size oracle jobs job-stop job-start job-restart job-reset

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  STAGE=$(STAGE); stages: $(notdir $(basename $(wildcard $(STAGES)/*.yml)))"

deploy: setup ## Bring the stage up and verify it; a second time changes nothing
	@$(LIFECYCLE) deploy

plan: setup ## Tell what deploy would change
	@$(LIFECYCLE) plan

verify: setup ## Run the infrastructure tests against the deployed stage
	@$(LIFECYCLE) verify

status: setup ## Show what runs where, and how it fares
	@$(LIFECYCLE) status

ssh: setup ## Open a shell on HOST=kafka-1
	@$(LIFECYCLE) ssh

logs: setup ## Show the journal of HOST=… [UNIT=…] [FOLLOW=1]
	@$(LIFECYCLE) logs

inventory: setup ## Show Ansible's view of the deployed stage
	@ANSIBLE_INVENTORY_UNPARSED_FAILED=1 ANSIBLE_CONFIG=playbooks/ansible.cfg .venv/bin/ansible-inventory -i $(STAGES)/$(STAGE).yml --graph

recreate: setup ## Throw the cluster away and build it anew; data stays
	@$(LIFECYCLE) recreate

destroy: setup ## Delete the cluster; network, volumes and keys stay
	@$(LIFECYCLE) destroy

purge: setup ## Delete everything of the stage: CONFIRM=<stage> (data is gone)
	@$(LIFECYCLE) purge

bench-deploy: setup ## Time destroy, deploy and a deploy with nothing to do
	@$(LIFECYCLE) bench

bench-ingest: setup ## Count the events a second that one core takes into the deployed Kafka
	@$(LIFECYCLE) bench-ingest

bench-jobs: setup ## Work a recorded hour off with every job: events a second per core [RECORDING=…]
	@$(LIFECYCLE) bench-jobs

bench-latency: setup ## From event to result by job, at RATE=1000 positions a second [SECONDS=120]
	@$(LIFECYCLE) bench-latency

jobs: setup ## Show the jobs: who drives them and how they keep up
	@$(LIFECYCLE) jobs

job-stop: setup ## Stop JOB=… after its batch, until it is started
	@$(LIFECYCLE) job-stop

job-start: setup ## Let JOB=… go on from its checkpoint
	@$(LIFECYCLE) job-start

job-restart: setup ## Stop and start JOB=…
	@$(LIFECYCLE) job-restart

job-reset: setup ## Discard the checkpoint of JOB=… and begin with the oldest records: asks, or CONFIRM=<job>
	@$(LIFECYCLE) job-reset

skew: setup ## Tell the watermark bound for TOPIC=… or FILE=… [COMPLETENESS=99.9] [SINCE=30m] [PLOT=…]
	@$(LIFECYCLE) skew

size: setup ## Tell what the stage needs for RATE=1000 events a second, and whether it has it
	@$(LIFECYCLE) size

oracle: setup ## Compute anew what the jobs must have said, and compare [JOB=…] [SINCE=10m]
	@$(LIFECYCLE) oracle

test: lint unit ## Lint, unit tests, then a deployed stage under test, torn down after
	@$(RUN) pytest tests/lifecycle

unit: setup ## Unit tests only: seconds, no root
	@$(RUN) pytest tests/unit

lint: setup ## Check style of Python, YAML and playbooks
	@$(RUN) ruff check .
	@$(RUN) ruff format --check .
	@$(RUN) yamllint --strict .
	@cd playbooks && PATH="$$(realpath ../.venv/bin):$$PATH" ANSIBLE_CONFIG=ansible.cfg ansible-lint --offline -q --profile production

clean: setup ## Remove stages whose clone is gone and cache entries nobody uses
	@$(LIFECYCLE) clean

lock: setup ## Resolve the Python locks anew from pyproject.toml
	@$(RUN) infra.setup.lock

setup:
	@python3 -m infra.setup.bootstrap
