/*
 * process_detectors.h - the detectors whose functions run inside the tested process: the rows of the table of
 * detectors (detect/detect.h) that read hooks or the end of the execution, and one way to report their findings.
 */
#ifndef RD_RT_HEAP_PROCESS_DETECTORS_H
#define RD_RT_HEAP_PROCESS_DETECTORS_H

#include "detect/detect.h"

/* Switches on the detectors of these bits (rd_config.detect). Called once, before the program's first hook. */
void rd_process_detectors_begin(uint32_t bits);
/*
 * Lets the detectors of these bits that look at the end of an execution do so. pre: the program has ended by exit()
 * or by a return from main. Does not return if one of them reports a finding.
 */
void rd_process_detectors_end(uint32_t bits);
/*
 * Hands over a finding of a detector: the execution ends with it, and the function does not return. It returns if
 * the user has suppressed the finding (heap_known.c): the finding is counted, and the execution goes on.
 */
void rd_process_detector_found(enum rd_detector_id id, const struct rd_finding *f);

#endif
