"""The long-lived layer: what a stage keeps when its cluster is destroyed or recreated."""

import pulumi

from infra import context
from infra.foundation import lab

providers = {"lab": lab}

stage = context.stage()
for name, value in providers[stage.provider].make(stage).items():
    pulumi.export(name, value)
