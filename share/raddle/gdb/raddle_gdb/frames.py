"""Frames: a thread of the program that waits does so in functions of the runtime, which the user does not want to see.

Backtraces leave them out (`bt -no-filters` shows them), and the program's innermost frame is selected after a stop.
"""
import gdb

SYSTEM = ("/usr/include/", "/usr/lib/")


def library(frame):
    return gdb.solib_name(frame.pc()) or ""


def is_runtime(frame):
    return "/libraddle.so" in library(frame)


def is_libc(frame):
    return "/libc.so" in library(frame)


def runtime_part(frames):
    """The index of the first frame after those in which the thread is in the runtime; 0: it is not in the runtime.

    A call of libc by the runtime belongs to the runtime.
    """
    first = next((i for i, f in enumerate(frames) if not is_libc(f)), None)
    if first is None or not is_runtime(frames[first]):
        return 0
    return next((i for i, f in enumerate(frames) if i > first and not is_runtime(f) and not is_libc(f)), 0)


def stack(frame=None):
    frame = frame or gdb.newest_frame()
    frames = []
    while frame is not None and len(frames) < 200:
        frames.append(frame)
        frame = frame.older()
    return frames


def is_users(frame):
    """Has the frame source that is not a header of the system?"""
    symtab = frame.find_sal().symtab
    return symtab is not None and not symtab.fullname().startswith(SYSTEM)


def in_runtime():
    """Is the selected thread in the runtime?"""
    frame = gdb.newest_frame()
    while frame is not None and is_libc(frame):
        frame = frame.older()
    return frame is not None and is_runtime(frame)


def program_frame():
    """The innermost frame of the program in the selected thread.

    None: the thread has none, because it has not begun, or has ended.
    """
    if not in_runtime():
        return gdb.newest_frame()
    frames = stack()
    first = runtime_part(frames)
    if not first:
        return None
    return next((f for f in frames[first:] if is_users(f) and not is_runtime(f)), frames[first])


class Filter:
    """Leaves the runtime's frames out of backtraces."""

    name, priority, enabled = "raddle", 100, True

    def filter(self, frames):
        frames = list(frames)
        inferior = [f.inferior_frame() for f in frames]
        first = runtime_part(inferior)
        kept = [f for i, f in enumerate(frames) if i >= first and not is_runtime(inferior[i])]
        return iter(kept or frames)


def show_selected():
    gdb.execute("frame")


def select(show):
    """Selects the program's innermost frame, if the selected thread is in the runtime, and shows it.

    False: the thread has no frame of the program.
    """
    try:
        if not in_runtime():
            return True
        frame = program_frame()
        if frame is not None:
            frame.select()
            if show:
                show_selected()
        return frame is not None
    except gdb.error:
        return False  # the thread has no frames


def begin():
    gdb.frame_filters[Filter.name] = Filter()
