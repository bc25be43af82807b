// cache_jansson DB FIRST SECOND body|columns
//
// jansson's tree, every card upserted in one transaction. jansson does not keep the bytes of a
// value: `body` writes them anew, `columns` leaves the column empty.
#include "cache.h"
#include <jansson.h>

static cache_text text(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  cache_text text = {json_string_value(value), json_string_length(value)};
  return text;
}

static int flag(const json_t *object, const char *name) {
  return json_is_true(json_object_get(object, name));
}

typedef struct {
  char *bytes;
  size_t room;
} writing;

static cache_text written(const json_t *value, writing *to) {
  size_t count = json_dumpb(value, to->bytes, to->room, JSON_COMPACT);
  if (count > to->room) {
    to->room = count * 2;
    to->bytes = (char *)realloc(to->bytes, to->room);
    json_dumpb(value, to->bytes, to->room, JSON_COMPACT);
  }
  cache_text text = {to->bytes, count};
  return text;
}

static cache_time sync_cards(sqlite3 *db, const char *path, int keeps_body) {
  size_t length;
  char *bytes = bench_read(path, 0, &length);
  writing extras = {0}, body = {0};
  cache_time start = cache_now();
  json_error_t error;
  json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
  if (!root) exit(1);
  json_t *list = json_object_get(root, "cards");
  sqlite3_stmt *upsert = cache_prepare(db, CACHE_UPSERT);
  cache_run(db, "BEGIN IMMEDIATE");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    cache_card card = {
        .id = text(item, "id"),
        .kind = text(item, "tp"),
        .title = text(item, "tt"),
        .text = text(item, "ds"),
        .image = text(item, "i"),
        .url = text(item, "u"),
        .extras = written(json_object_get(item, "e"), &extras),
        .created = json_integer_value(json_object_get(item, "ca")),
        .expires = json_integer_value(json_object_get(item, "ea")),
        .ratio = json_number_value(json_object_get(item, "ar")),
        .viewed = flag(item, "v"),
        .clicked = flag(item, "cl"),
        .pinned = flag(item, "p"),
        .dismissible = flag(item, "db"),
        .web = flag(item, "uw"),
    };
    if (keeps_body) card.body = written(item, &body);
    cache_put(db, upsert, &card);
  }
  cache_run(db, "COMMIT");
  cache_time time = cache_since(start);
  sqlite3_finalize(upsert);
  json_decref(root);
  free(extras.bytes);
  free(body.bytes);
  free(bytes);
  return time;
}

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  int keeps_body = !strcmp(argv[4], "body");
  sqlite3 *db = cache_make(argv[1], CACHE_TABLE);
  cache_time first = sync_cards(db, argv[2], keeps_body);
  printf("{\"peak_kb\":%ld,", bench_peak_kb());
  cache_report(db, "first", first);
  cache_time second = sync_cards(db, argv[3], keeps_body);
  printf(",");
  cache_report(db, "second", second);
  puts("}");
  cache_close(db);
}
