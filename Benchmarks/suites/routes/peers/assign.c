// assign PEOPLE: the arms of so many people in an experiment with a layer and a hold-out.
//
// The hash and the rules are those of the library: SHA-256 of the question, the name and the id with a NUL
// between them, whose first 64 bits are a binary fraction. The beginnings are hashed once.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { HELD_OUT, OUTSIDE, A, B, NONE, PLACES, LONGEST = 24 };

static const uint64_t weights[] = {1, 2, 1};

static SHA256_CTX begin(const char *question, const char *name) {
  SHA256_CTX hash;
  SHA256_Init(&hash);
  SHA256_Update(&hash, question, strlen(question) + 1);
  SHA256_Update(&hash, name, strlen(name) + 1);
  return hash;
}

static uint64_t draw(SHA256_CTX hash, const char *id, size_t length) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256_Update(&hash, id, length);
  SHA256_Final(digest, &hash);
  uint64_t bits = 0;
  for (int i = 0; i < 8; i++) bits = bits << 8 | digest[i];
  return bits;
}

static uint64_t share(uint64_t whole, uint64_t draw) {
  return (uint64_t)(((unsigned __int128)whole * draw) >> 64);
}

static double milliseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  long people = atol(arguments[1]);
  char(*ids)[LONGEST] = malloc((size_t)people * LONGEST);
  if (!ids) return 70;
  for (long i = 0; i < people; i++) snprintf(ids[i], LONGEST, "user-%ld", i);

  double wall = milliseconds(CLOCK_MONOTONIC), cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
  SHA256_CTX hold_out = begin("hold-out", "all"), layer = begin("layer", "home"),
             experiment = begin("experiment", "cards-2026");
  long counts[PLACES] = {0};
  for (long i = 0; i < people; i++) {
    size_t length = strlen(ids[i]);
    if ((double)(draw(hold_out, ids[i], length) >> 11) / 0x1p53 < 0.05) {
      counts[HELD_OUT]++;
      continue;
    }
    if (share(10000, draw(layer, ids[i], length)) >= 9000) {
      counts[OUTSIDE]++;
      continue;
    }
    uint64_t point = share(4, draw(experiment, ids[i], length));
    int arm = 0;
    while (point >= weights[arm]) point -= weights[arm++];
    counts[A + arm]++;
  }
  wall = milliseconds(CLOCK_MONOTONIC) - wall;
  cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;

  long check = 0;
  for (int i = 0; i < PLACES; i++) check = check * 31 + counts[i];
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf(
      "{\"all_ms\":%f,\"all_cpu_ms\":%f,\"all_rows\":%ld,\"all_check\":%ld,\"peak_kb\":%ld}\n", wall,
      cpu, people, check, usage.ru_maxrss);
  return 0;
}
