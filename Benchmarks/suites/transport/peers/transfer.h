// What the C peers share: an easy handle that keeps head and body in memory, the line of results.
#pragma once
#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct {
  CURL *easy;
  char head[4096], body[4096];
  size_t head_count, body_count;
} transfer;

static inline size_t transfer_keep(char *to, size_t *count, const char *bytes, size_t size) {
  if (*count + size > 4096) return 0;
  memcpy(to + *count, bytes, size);
  *count += size;
  return size;
}

static inline size_t transfer_head(char *bytes, size_t size, size_t count, void *context) {
  transfer *t = context;
  return transfer_keep(t->head, &t->head_count, bytes, size * count);
}

static inline size_t transfer_body(char *bytes, size_t size, size_t count, void *context) {
  transfer *t = context;
  return transfer_keep(t->body, &t->body_count, bytes, size * count);
}

static inline void transfer_prepare(transfer *t, const char *url) {
  t->easy = curl_easy_init();
  curl_easy_setopt(t->easy, CURLOPT_URL, url);
  curl_easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(t->easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
  curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, 30000L);
  curl_easy_setopt(t->easy, CURLOPT_LOW_SPEED_LIMIT, 10L);
  curl_easy_setopt(t->easy, CURLOPT_LOW_SPEED_TIME, 10L);
  curl_easy_setopt(t->easy, CURLOPT_PROXY, "");
  curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, transfer_head);
  curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t);
  curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, transfer_body);
  curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
  curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
}

// Status plus bytes of the body, and ready for the next answer.
static inline uint64_t transfer_check(transfer *t) {
  long status = 0;
  curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
  uint64_t check = t->body_count + status;
  t->head_count = t->body_count = 0;
  return check;
}

static inline double transfer_seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

static inline void transfer_report(const struct timespec *start, int requests, uint64_t check) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double wall = end.tv_sec - start->tv_sec + (end.tv_nsec - start->tv_nsec) / 1e9;
  double cpu = transfer_seconds(usage.ru_utime) + transfer_seconds(usage.ru_stime);
  printf("{\"cpu_us\":%.3f,\"wall_us\":%.3f,\"check\":%llu}\n", cpu * 1e6 / requests,
         wall * 1e6 / requests, (unsigned long long)check);
}
