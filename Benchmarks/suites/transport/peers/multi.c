// multi URL REQUESTS IN_FLIGHT
//
// What a C program of one thread writes: curl_multi_poll and curl_multi_perform, easy handles used
// again as they are.
#include "transfer.h"

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  int requests = atoi(argv[2]), width = atoi(argv[3]), begun = 0, done = 0;
  uint64_t check = 0;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 256L);
  transfer *transfers = calloc(width, sizeof *transfers);
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (; begun < width && begun < requests; begun++) {
    transfer_prepare(&transfers[begun], argv[1]);
    curl_multi_add_handle(multi, transfers[begun].easy);
  }
  while (done < requests) {
    int running, left;
    curl_multi_perform(multi, &running);
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
      transfer *t;
      CURL *easy = message->easy_handle;
      if (message->data.result != CURLE_OK) return 1;
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, &t);
      check += transfer_check(t);
      done++;
      curl_multi_remove_handle(multi, easy);
      if (begun < requests) {
        curl_multi_add_handle(multi, easy);
        begun++;
      }
    }
    if (done < requests) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  transfer_report(&start, requests, check);
}
