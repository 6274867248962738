"""The lab: a stage on this machine, made of real Debian hosts.

A host is a systemd-nspawn container that boots systemd and sshd from an overlay over the baked
image, in a network namespace on a bridge, with its data volume as a block device. One module
holds each kind of thing the kernel lends us; every `make` there can be repeated, every `remove`
accepts that there is nothing left to remove.
"""
