// jansson FILE cards|inbox parse|cards PASSES
//
// `cards` is jansson's tree with each field looked up in it; the strings stay jansson's own.
#include "bench.h"
#include <jansson.h>

enum { FIELDS = 12 };
static const char *const CARD[] = {"id", "tp", "tt", "ds", "i", "u", "ca", "ea", "v", "cl", "p", "e"};
static const char *const MESSAGE[] = {"message_uid", "subject",    "content",    "detail",
                                      "collapse_key", "created_at", "expires_at", "read",
                                      "images",       "inbox_custom_data"};

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  int inbox = !strcmp(argv[2], "inbox"), map = !strcmp(argv[3], "cards");
  const char *const *names = inbox ? MESSAGE : CARD;
  size_t count = inbox ? sizeof MESSAGE / sizeof *MESSAGE : sizeof CARD / sizeof *CARD;
  int passes = atoi(argv[4]) + 1;
  bench_clock c = {(double *)malloc(sizeof(double) * passes), passes};
  size_t length, items = 0;
  char *bytes = bench_read(argv[1], 0, &length);
  uint64_t check = 0;
  for (int pass = 0; pass < passes; pass++) {
    bench_start(&c);
    json_error_t error;
    json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
    if (!root) return 1;
    json_t *list = inbox ? root : json_object_get(root, "cards");
    items = json_array_size(list);
    json_t *(*fields)[FIELDS] = map ? malloc(sizeof *fields * items) : NULL;
    for (size_t i = 0; map && i < items; i++)
      for (size_t f = 0; f < count; f++)
        fields[i][f] = json_object_get(json_array_get(list, i), names[f]);
    bench_stop(&c);
    check = 0;
    for (size_t i = 0; map && i < items; i++)
      for (size_t f = 0; f < count; f++) check += json_string_length(fields[i][f]);
    free(fields);
    json_decref(root);
  }
  bench_report(&c, items, check);
}
