// service URL REQUESTS IN_FLIGHT
//
// curl multi behind what a library has to offer: callers on other threads hand requests to the
// thread that owns the handle and sleep until their answer is there.
#include "transfer.h"
#include <pthread.h>

typedef struct job {
  transfer transfer;
  pthread_cond_t answered;
  int done, failed;
  struct job *next;
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static job *waiting;
static int is_over;
static CURLM *multi;
static const char *url;

static void send_and_wait(job *j) {
  pthread_mutex_lock(&lock);
  j->done = 0;
  j->next = waiting;
  int first = !waiting;
  waiting = j;
  pthread_mutex_unlock(&lock);
  if (first) curl_multi_wakeup(multi);
  pthread_mutex_lock(&lock);
  while (!j->done) pthread_cond_wait(&j->answered, &lock);
  pthread_mutex_unlock(&lock);
}

static void answer(job *j, CURLcode result) {
  curl_multi_remove_handle(multi, j->transfer.easy);
  pthread_mutex_lock(&lock);
  j->done = 1;
  j->failed = result != CURLE_OK;
  pthread_cond_signal(&j->answered);
  pthread_mutex_unlock(&lock);
}

static void *drive(void *unused) {
  for (;;) {
    int running, left;
    pthread_mutex_lock(&lock);
    job *j = waiting;
    int over = is_over;
    waiting = NULL;
    pthread_mutex_unlock(&lock);
    if (over) return unused;
    for (; j; j = j->next) curl_multi_add_handle(multi, j->transfer.easy);
    curl_multi_perform(multi, &running);
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
      void *owner;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
      answer(owner, message->data.result);
    }
    curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
}

typedef struct {
  int requests;
  uint64_t check;
} lane;

static void *ask(void *context) {
  lane *l = context;
  job *j = calloc(1, sizeof *j);
  pthread_cond_init(&j->answered, NULL);
  transfer_prepare(&j->transfer, url);
  for (int i = 0; i < l->requests; i++) {
    send_and_wait(j);
    if (j->failed) exit(1);
    l->check += transfer_check(&j->transfer);
  }
  curl_easy_cleanup(j->transfer.easy);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  url = argv[1];
  int requests = atoi(argv[2]), width = atoi(argv[3]);
  uint64_t check = 0;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 256L);
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  pthread_t driver, *threads = calloc(width, sizeof *threads);
  lane *lanes = calloc(width, sizeof *lanes);
  pthread_create(&driver, NULL, drive, NULL);
  for (int i = 0; i < width; i++) {
    lanes[i].requests = requests / width + (i < requests % width);
    pthread_create(&threads[i], NULL, ask, &lanes[i]);
  }
  for (int i = 0; i < width; i++) {
    pthread_join(threads[i], NULL);
    check += lanes[i].check;
  }
  pthread_mutex_lock(&lock);
  is_over = 1;
  pthread_mutex_unlock(&lock);
  curl_multi_wakeup(multi);
  pthread_join(driver, NULL);
  transfer_report(&start, requests, check);
}
