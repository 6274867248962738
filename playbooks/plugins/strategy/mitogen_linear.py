"""Ansible's linear strategy over Mitogen: one Python process per host instead of one per task.

Mitogen's own plugin lies in whichever environment Ansible runs from; this one is found beside the
playbooks, so that no path of an environment has to be configured.
"""

import ansible_mitogen.loaders
import ansible_mitogen.strategy

DOCUMENTATION = """
name: mitogen_linear
short_description: Runs tasks in lockstep over Mitogen
description: Ansible's linear strategy, with Mitogen carrying modules to the hosts.
author: Streambed
"""

Linear = ansible_mitogen.loaders.strategy_loader.get("linear", class_only=True)


class StrategyModule(ansible_mitogen.strategy.StrategyMixin, Linear):
    pass
