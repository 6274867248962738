"""The short-lived layer: the hosts of a stage, and the topology they make."""

import pulumi

from infra import context
from infra.cluster import lab

providers = {"lab": lab}

stage = context.stage()
pulumi.export("topology", providers[stage.provider].make(stage))
