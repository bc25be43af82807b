// fetch FOLDER URL COUNT SIZE: so many files, ten at a time on one thread of curl multi. Each is written
// as it comes, synced, and moved to its name.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 10 };

typedef struct {
  CURL *easy;
  char part[512], path[512];
  int file;
  uint64_t count;
} download;

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  download *d = context;
  if (write(d->file, bytes, size * count) != (ssize_t)(size * count)) return 0;
  d->count += size * count;
  return size * count;
}

static void begin(download *d, CURLM *multi, const char *folder, const char *url, int size,
                  const char *name) {
  char address[512];
  snprintf(address, sizeof address, "%s/%d/%s.png", url, size, name);
  snprintf(d->part, sizeof d->part, "%s/%s.part", folder, name);
  snprintf(d->path, sizeof d->path, "%s/%s", folder, name);
  d->file = open(d->part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (d->file < 0) exit(73);
  d->count = 0;
  curl_easy_setopt(d->easy, CURLOPT_URL, address);
  curl_multi_add_handle(multi, d->easy);
}

static uint64_t end(download *d) {
  long status = 0;
  curl_easy_getinfo(d->easy, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200 || fsync(d->file) || close(d->file) || rename(d->part, d->path)) exit(74);
  return d->count;
}

static uint64_t all(download *downloads, CURLM *multi, const char *folder, const char *url, int count,
                    int size, const char *prefix) {
  int begun = 0, done = 0;
  uint64_t bytes = 0;
  char name[64];
  for (; begun < WIDTH && begun < count; begun++) {
    snprintf(name, sizeof name, "%s%d", prefix, begun);
    begin(&downloads[begun], multi, folder, url, size, name);
  }
  while (done < count) {
    int running, left;
    curl_multi_perform(multi, &running);
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
      download *d;
      if (message->data.result != CURLE_OK) exit(75);
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &d);
      curl_multi_remove_handle(multi, d->easy);
      bytes += end(d);
      done++;
      if (begun < count) {
        snprintf(name, sizeof name, "%s%d", prefix, begun++);
        begin(d, multi, folder, url, size, name);
      }
    }
    if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  return bytes;
}

static double milliseconds(struct timeval t) { return t.tv_sec * 1e3 + t.tv_usec / 1e3; }

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  const char *folder = argv[1], *url = argv[2];
  int count = atoi(argv[3]), size = atoi(argv[4]);
  if (mkdir(folder, 0700)) return 73;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  download downloads[WIDTH] = {0};
  for (int i = 0; i < WIDTH; i++) {
    CURL *easy = downloads[i].easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &downloads[i]);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &downloads[i]);
  }
  all(downloads, multi, folder, url, 1, 1000, "first-");
  struct timespec start, stop;
  struct rusage old, new;
  clock_gettime(CLOCK_MONOTONIC, &start);
  getrusage(RUSAGE_SELF, &old);
  uint64_t bytes = all(downloads, multi, folder, url, count, size, "");
  clock_gettime(CLOCK_MONOTONIC, &stop);
  getrusage(RUSAGE_SELF, &new);
  printf("{\"all_ms\":%.3f,\"all_cpu_ms\":%.3f,\"all_rows\":%d,\"all_check\":%llu,\"peak_kb\":%ld}\n",
         (stop.tv_sec - start.tv_sec) * 1e3 + (stop.tv_nsec - start.tv_nsec) / 1e6,
         milliseconds(new.ru_utime) - milliseconds(old.ru_utime) + milliseconds(new.ru_stime) -
             milliseconds(old.ru_stime),
         count, (unsigned long long)bytes, new.ru_maxrss);
}
