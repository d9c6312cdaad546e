/*
 * rewind.h - puts the channel back to how it was before its first process, for a debugger that starts the program
 * again and again. The driver keeps a copy of the prepared channel: a process may have changed every part of it.
 */
#ifndef RD_DRIVE_PROCESS_REWIND_H
#define RD_DRIVE_PROCESS_REWIND_H

/* Returns the descriptor of a copy of the file in memory `fd`, or -1 (errno). Pages without data take no room. */
int rd_rewind_copy(int fd);
/* Gives the file `to` the contents of `from` again. Returns 0, or -1 (errno). */
int rd_rewind(int from, int to);

#endif
