"""The commands in gdb, by modules: see setup.py."""
