// What the C and C++ peers share: the file in memory, the clock, the one line of results.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  double *ms;
  int passes, done;
  struct timespec start;
} bench_clock;

static inline void bench_start(bench_clock *c) { clock_gettime(CLOCK_MONOTONIC, &c->start); }

static inline void bench_stop(bench_clock *c) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  c->ms[c->done++] =
      (now.tv_sec - c->start.tv_sec) * 1e3 + (now.tv_nsec - c->start.tv_nsec) / 1e6;
}

static inline char *bench_read(const char *path, size_t padding, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  *count = (size_t)ftell(file);
  rewind(file);
  char *bytes = (char *)calloc(*count + padding + 1, 1);
  if (!bytes || fread(bytes, 1, *count, file) != *count) exit(2);
  fclose(file);
  return bytes;
}

static inline int bench_order(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The peak of this program image alone: getrusage would also count the parent's, before exec.
static inline long bench_peak_kb(void) {
  char line[256];
  long kb = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "VmHWM: %ld", &kb) == 1) break;
  if (status) fclose(status);
  return kb;
}

// The first pass meets cold memory and is told apart from the median of the others.
static inline void bench_report(bench_clock *c, size_t items, uint64_t check) {
  double first = c->ms[0];
  qsort(c->ms + 1, c->done - 1, sizeof(double), bench_order);
  printf("{\"first_ms\":%.4f,\"ms\":%.4f,\"items\":%zu,\"check\":%llu,\"peak_kb\":%ld}\n", first,
         c->ms[1 + (c->done - 1) / 2], items, (unsigned long long)check, bench_peak_kb());
}
