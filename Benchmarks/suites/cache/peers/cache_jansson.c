// cache_jansson cards|messages DB body|columns FIRST SECOND …
//
// jansson's tree, every item upserted in one transaction for each file. jansson does not keep the bytes of a
// value: `body` writes them anew, `columns` leaves the column empty.
#include "../../json/peers/date.h"
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

typedef struct {
  int keeps_body;
  writing body, part, other;
} writings;

static void put_card(sqlite3 *db, sqlite3_stmt *upsert, const json_t *item, writings *to) {
  cache_card card = {
      .id = text(item, "id"),
      .kind = text(item, "tp"),
      .title = text(item, "tt"),
      .text = text(item, "ds"),
      .image = text(item, "i"),
      .url = text(item, "u"),
      .extras = written(json_object_get(item, "e"), &to->part),
      .created = json_integer_value(json_object_get(item, "ca")),
      .expires = json_integer_value(json_object_get(item, "ea")),
      .ratio = json_number_value(json_object_get(item, "ar")),
      .viewed = flag(item, "v"),
      .clicked = flag(item, "cl"),
      .pinned = flag(item, "p"),
      .dismissible = flag(item, "db"),
      .web = flag(item, "uw"),
  };
  if (to->keeps_body) card.body = written(item, &to->body);
  cache_put(db, upsert, &card);
}

static int64_t date(const json_t *object, const char *name) {
  cache_text date = text(object, name);
  return date_milliseconds(date.bytes, date.count);
}

static void put_message(sqlite3 *db, sqlite3_stmt *upsert, const json_t *item, writings *to) {
  const json_t *images = json_object_get(item, "images");
  cache_message message = {
      .id = text(item, "message_uid"),
      .subject = text(item, "subject"),
      .text = text(item, "content"),
      .url = text(item, "detail"),
      .icon = text(images, "icon"),
      .image = text(images, "main"),
      .collapse = text(item, "collapse_key"),
      .created = date(item, "created_at"),
      .expires = date(item, "expires_at"),
      .read = flag(item, "read"),
      .custom = written(json_object_get(item, "inbox_custom_data"), &to->part),
      .handle = written(json_object_get(item, "apprefdata"), &to->other),
  };
  if (to->keeps_body) message.body = written(item, &to->body);
  cache_put_message(db, upsert, &message);
}

typedef struct {
  const char *name, *table, *upsert, *count;
  void (*put)(sqlite3 *, sqlite3_stmt *, const json_t *, writings *);
} kind;

static const kind KINDS[] = {
    {"cards", CACHE_TABLE, CACHE_UPSERT, CACHE_COUNT, put_card},
    {"messages", MESSAGE_TABLE, MESSAGE_UPSERT, MESSAGE_COUNT, put_message},
};

static cache_time sync_items(sqlite3 *db, const kind *kind, const char *path, int keeps_body) {
  size_t length;
  char *bytes = bench_read(path, 0, &length);
  writings writings = {.keeps_body = keeps_body};
  cache_time start = cache_now();
  json_error_t error;
  json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
  if (!root) exit(1);
  json_t *list = json_is_array(root) ? root : json_object_get(root, "cards");
  sqlite3_stmt *upsert = cache_prepare(db, kind->upsert);
  cache_run(db, "BEGIN IMMEDIATE");
  for (size_t i = 0; i < json_array_size(list); i++)
    kind->put(db, upsert, json_array_get(list, i), &writings);
  cache_run(db, "COMMIT");
  cache_time time = cache_since(start);
  sqlite3_finalize(upsert);
  json_decref(root);
  free(writings.body.bytes);
  free(writings.part.bytes);
  free(writings.other.bytes);
  free(bytes);
  return time;
}

int main(int argc, char **argv) {
  static const char *const names[] = {"first", "second", "unchanged"};
  if (argc < 5 || argc > 7) return 64;
  const kind *kind = &KINDS[!strcmp(argv[1], "messages")];
  int keeps_body = !strcmp(argv[3], "body");
  sqlite3 *db = cache_make(argv[2], kind->table);
  long peak = 0;
  printf("{");
  for (int i = 4; i < argc; i++) {
    cache_time time = sync_items(db, kind, argv[i], keeps_body);
    if (i == 4) peak = bench_peak_kb();
    cache_report(db, kind->count, names[i - 4], time);
    printf(",");
  }
  printf("\"peak_kb\":%ld}\n", peak);
  cache_close(db);
}
