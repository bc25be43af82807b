// feed_jansson DB FIRST SECOND …
//
// A feed of action cards with jansson's tree: every card upserted, in one transaction for each file, with what a
// list shows in columns and the views as JSON beside the whole card.
#include "../../cache/peers/cache.h"
#include "../../json/peers/date.h"
#include <jansson.h>

#define TASK_TABLE                                                                             \
  "CREATE TABLE task (vendor TEXT NOT NULL, id TEXT NOT NULL, status TEXT, event TEXT,"        \
  " lifecycle TEXT, title TEXT, text TEXT, image TEXT, priority INTEGER, created INTEGER,"     \
  " updated INTEGER, active INTEGER, dismiss INTEGER, snooze INTEGER, up INTEGER,"             \
  " down INTEGER, metadata TEXT, variables TEXT, view TEXT, subviews TEXT, body TEXT,"         \
  " UNIQUE (vendor, id)) STRICT; CREATE INDEX task_feed ON task (priority, active DESC);"

#define TASK_UPSERT                                                                            \
  "INSERT INTO task VALUES ('atomic',?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"                 \
  " ON CONFLICT (vendor, id) DO UPDATE SET status=excluded.status, event=excluded.event,"      \
  " lifecycle=excluded.lifecycle, title=excluded.title, text=excluded.text,"                   \
  " image=excluded.image, priority=excluded.priority, created=excluded.created,"               \
  " updated=excluded.updated, active=excluded.active, dismiss=excluded.dismiss,"               \
  " snooze=excluded.snooze, up=excluded.up, down=excluded.down, metadata=excluded.metadata,"   \
  " variables=excluded.variables, view=excluded.view, subviews=excluded.subviews,"             \
  " body=excluded.body"

#define TASK_COUNT                                                                             \
  "SELECT count(*), total(length(CAST(id AS BLOB)) + length(CAST(title AS BLOB))"              \
  " + length(CAST(text AS BLOB)) + length(CAST(image AS BLOB)) + priority + created + updated" \
  " + active) FROM task"

static cache_text text_of(const json_t *value) {
  cache_text text = {json_string_value(value), json_string_length(value)};
  return text;
}

static cache_text text(const json_t *object, const char *name) {
  return text_of(json_object_get(object, name));
}

static int64_t date(const json_t *object, const char *name) {
  cache_text date = text(object, name);
  return date.bytes ? date_milliseconds(date.bytes, date.count) : 0;
}

// Whether swiping or the menu allows the action.
static int allows(const json_t *actions, const char *name) {
  const json_t *ways = json_object_get(actions, name);
  return json_is_true(json_object_get(ways, "swipe")) ||
         json_is_true(json_object_get(ways, "overflow"));
}

// The first node of the type, depth first.
static const json_t *first(const json_t *nodes, const char *type) {
  for (size_t i = 0; i < json_array_size(nodes); i++) {
    const json_t *node = json_array_get(nodes, i);
    const char *own = json_string_value(json_object_get(node, "type"));
    if (own && !strcmp(own, type)) return json_object_get(node, "attributes");
    const json_t *inner = first(json_object_get(node, "children"), type);
    if (inner) return inner;
  }
  return NULL;
}

typedef struct {
  char *bytes;
  size_t room;
} writing;

static void put_json(sqlite3_stmt *s, int at, const json_t *value, writing *to) {
  size_t count = json_dumpb(value, to->bytes, to->room, JSON_COMPACT);
  if (count > to->room) {
    to->room = count * 2;
    to->bytes = (char *)realloc(to->bytes, to->room);
    json_dumpb(value, to->bytes, to->room, JSON_COMPACT);
  }
  cache_text text = {to->bytes, count};
  cache_bind(s, at, text);
}

static void put(sqlite3 *db, sqlite3_stmt *s, const json_t *card, writing *to) {
  const json_t *instance = json_object_get(card, "instance");
  const json_t *metadata = json_object_get(card, "metadata");
  const json_t *actions = json_object_get(card, "actions");
  const json_t *view = json_object_get(card, "defaultView");
  const json_t *nodes = json_object_get(view, "nodes");
  cache_bind(s, 1, text(instance, "id"));
  cache_bind(s, 2, text(instance, "status"));
  cache_bind(s, 3, text(instance, "eventName"));
  cache_bind(s, 4, text(instance, "lifecycleId"));
  cache_bind(s, 5, text(first(nodes, "headline"), "text"));
  cache_bind(s, 6, text(first(nodes, "text"), "text"));
  cache_bind(s, 7, text(first(nodes, "image"), "src"));
  sqlite3_bind_int64(s, 8, json_integer_value(json_object_get(metadata, "priority")));
  sqlite3_bind_int64(s, 9, date(instance, "createdDate"));
  sqlite3_bind_int64(s, 10, date(metadata, "updatedAt"));
  sqlite3_bind_int64(s, 11, date(metadata, "lastCardActiveTime"));
  sqlite3_bind_int(s, 12, allows(actions, "dismiss"));
  sqlite3_bind_int(s, 13, allows(actions, "snooze"));
  sqlite3_bind_int(s, 14, allows(actions, "voteUp"));
  sqlite3_bind_int(s, 15, allows(actions, "voteDown"));
  put_json(s, 16, json_object_get(metadata, "payloadMetadata"), &to[0]);
  put_json(s, 17, json_object_get(card, "runtimeVariables"), &to[1]);
  put_json(s, 18, view, &to[2]);
  put_json(s, 19, json_object_get(card, "subviews"), &to[3]);
  put_json(s, 20, card, &to[4]);
  cache_must(db, sqlite3_step(s));
  sqlite3_reset(s);
}

static cache_time refresh(sqlite3 *db, const char *path) {
  size_t length;
  char *bytes = bench_read(path, 0, &length);
  writing writings[5] = {{0}};
  cache_time start = cache_now();
  json_error_t error;
  json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
  if (!root) exit(1);
  json_t *list = json_object_get(root, "cardInstances");
  sqlite3_stmt *upsert = cache_prepare(db, TASK_UPSERT);
  cache_run(db, "BEGIN IMMEDIATE");
  for (size_t i = 0; i < json_array_size(list); i++)
    put(db, upsert, json_array_get(list, i), writings);
  cache_run(db, "COMMIT");
  cache_time time = cache_since(start);
  sqlite3_finalize(upsert);
  json_decref(root);
  for (int i = 0; i < 5; i++) free(writings[i].bytes);
  free(bytes);
  return time;
}

int main(int argc, char **argv) {
  static const char *const names[] = {"first", "second"};
  if (argc != 4) return 64;
  sqlite3 *db = cache_make(argv[1], TASK_TABLE);
  long peak = 0;
  printf("{");
  for (int i = 2; i < argc; i++) {
    cache_time time = refresh(db, argv[i]);
    if (i == 2) peak = bench_peak_kb();
    cache_report(db, TASK_COUNT, names[i - 2], time);
    printf(",");
  }
  printf("\"peak_kb\":%ld}\n", peak);
  cache_close(db);
}
