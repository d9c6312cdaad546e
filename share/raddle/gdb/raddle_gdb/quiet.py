"""Keeps gdb's own words about starts and stops back: gdb writes them past the strings of gdb.execute.

Commands inside are executed without to_string: with it gdb.flush would flush the string, and not what gdb has written.
"""
import os

import gdb


class Quiet:
    """While it is entered, what gdb writes to its standard output is kept. Leaving prints it, unless it is dropped."""

    def __init__(self):
        self.file = self.stdout = None

    def __enter__(self):
        gdb.flush()
        self.file, self.stdout = os.memfd_create("raddle-quiet"), os.dup(1)
        os.dup2(self.file, 1)
        return self

    def drop(self):
        """From now on everything is written again; what was kept is lost."""
        if self.file is not None:
            gdb.flush()
            os.dup2(self.stdout, 1)
            os.close(self.stdout)
            os.close(self.file)
            self.file = None

    def __exit__(self, *_):
        if self.file is None:
            return
        gdb.flush()
        kept = os.pread(self.file, os.fstat(self.file).st_size, 0).decode(errors="replace")
        self.drop()
        gdb.write(kept)
