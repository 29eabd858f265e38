/* Code of the tests that reports its memory accesses. */
#ifndef RFF_HARNESS_REPORTING_CODE_H
#define RFF_HARNESS_REPORTING_CODE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Two threads, each x = x + 1. Returns x at the end: 1 or 2. */
int lost_update(void);
/* The same with an atomic addition: 2. */
int atomic_update(void);
/* Store buffering: 2 * r1 + r2 at the end, where 0 is impossible. */
int store_buffering(void);
/* Message passing through an atomic flag: the data that the reader sees; -1: no message. */
int message_passing(void);
/* Counts its calls in a variable that nobody resets, while another thread exists. */
int count_calls(void);

#ifdef __cplusplus
}
#endif

#endif
