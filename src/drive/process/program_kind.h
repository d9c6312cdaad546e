/*
 * program_kind.h - reads from the file of a program whether Raddle can take it over at all. Nothing in the file is
 * believed: every offset is checked.
 */
#ifndef RD_DRIVE_PROCESS_PROGRAM_KIND_H
#define RD_DRIVE_PROCESS_PROGRAM_KIND_H

#include "base/base.h"

/* The build ID that the linker has put into the file; size 0: there is none. */
struct rd_file_id {
    uint8_t bytes[20], size;
};

/*
 * Returns NULL and the build ID if Raddle can run the program, otherwise the reason why it cannot, and what to do,
 * as the rest of a sentence ("it is a script; …"). The text may be in a static buffer.
 */
const char *rd_program_kind_wrong(const unsigned char *data, size_t size, struct rd_file_id *id);

#endif
