"""Commands in gdb for the replay of a schedule: `source` this file in gdb, or give it with -x.

`raddle replay --gdb` does that by itself. docs/debugger.md describes the commands; `help raddle` lists them.
"""
import os
import sys

import gdb

_folder = os.path.dirname(os.path.abspath(__file__))
if _folder not in sys.path:
    sys.path.insert(0, _folder)
_writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the folder may belong to a package manager
try:
    from raddle_gdb import setup
finally:
    sys.dont_write_bytecode = _writes

setup.begin(_folder)
