// startup --version
// startup cards        with $ENGAGE_CONFIG
//
// What a C program does that shows a cache as `engage` does: the same file, opened for reading under
// the same pragmas, its schema and its rows held against their checksums, each body parsed with
// jansson, the same table printed. It knows one vendor and one route, cuts no line, and takes texts
// from vendors for harmless.
#include "../../cache/peers/cache.h"
#include "seal.h"
#include <jansson.h>
#include <sys/param.h>

enum { ID, KIND, STATE, TITLE, TEXT, COLUMNS };
static const char *const titles[COLUMNS] = {"ID", "KIND", "STATE", "TITLE", "TEXT"};

typedef struct {
  json_t *body; // Owns the texts that are not copied.
  char *id, state[64], *shown;
  const char *cells[COLUMNS];
} card;

typedef struct {
  card *all;
  size_t count, unread;
} feed;

static void fail(const char *why) {
  fprintf(stderr, "startup: %s\n", why);
  exit(1);
}

// MARK: The configuration

typedef struct {
  json_t *document;
  const char *provider;
  char cache[4096];
} setting;

static setting configuration(void) {
  const char *file = getenv("ENGAGE_CONFIG");
  setting found = {.document = json_load_file(file ? file : "engage.json", 0, NULL)};
  if (!found.document) fail("no configuration");
  json_t *providers = json_object_get(found.document, "providers");
  const char *cache = json_string_value(json_object_get(found.document, "cache"));
  found.provider = json_object_iter_key(json_object_iter(providers));
  if (!found.provider || !cache) fail("no provider or no cache");
  const char *slash = file ? strrchr(file, '/') : NULL;
  int folder = slash ? (int)(slash - file + 1) : 0;
  snprintf(found.cache, sizeof found.cache, "%.*s%s", folder, file ? file : "", cache);
  return found;
}

// MARK: The cache

static int64_t number(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = cache_prepare(db, sql);
  cache_must(db, sqlite3_step(statement));
  int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

static sqlite3 *opened(const char *path) {
  sqlite3 *db = cache_open(path, SQLITE_OPEN_READONLY);
  static const int switches[][2] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},
      {SQLITE_DBCONFIG_DQS_DML, 0},
      {SQLITE_DBCONFIG_DQS_DDL, 0},
      {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
  };
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
    sqlite3_db_config(db, switches[i][0], switches[i][1], NULL);
  cache_run(db, "PRAGMA query_only=1; BEGIN");
  if (number(db, "PRAGMA application_id") != 0x456e674b) fail("not our file");
  if (number(db, "PRAGMA user_version") != SCHEMA_VERSION) fail("another schema");
  sqlite3_stmt *parts = cache_prepare(
      db, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name");
  sealed bytes = {0};
  while (cache_must(db, sqlite3_step(parts)) == SQLITE_ROW)
    for (int i = 0; i < 4; i++) seal_add_column(&bytes, parts, i);
  sqlite3_finalize(parts);
  if (seal_value(&bytes) != SCHEMA_SHAPE) fail("the schema is damaged");
  return db;
}

static uint64_t owner(sqlite3 *db, const char *provider) {
  sqlite3_stmt *user =
      cache_prepare(db, "SELECT value FROM setting WHERE name = 'user production'");
  if (cache_must(db, sqlite3_step(user)) != SQLITE_ROW) fail("nobody is there");
  json_t *names = json_pack("[ssss]", "production", sqlite3_column_text(user, 0), provider, "cards");
  char *text = json_dumps(names, JSON_COMPACT);
  uint64_t hash = seal_hash((const uint8_t *)text, strlen(text));
  free(text);
  json_decref(names);
  sqlite3_finalize(user);
  return hash;
}

// MARK: Cards

static const char *kind(const char *word) {
  if (!word) return NULL;
  if (!strcmp(word, "captioned_image")) return "captionedImage";
  if (!strcmp(word, "banner_image")) return "banner";
  if (!strcmp(word, "control")) return NULL;
  return "classic";
}

// A flag may be a number too.
static int flag(json_t *body, const char *key) {
  json_t *value = json_object_get(body, key);
  return json_is_true(value) || json_integer_value(value) != 0;
}

static const char *text(json_t *body, const char *key) {
  const char *value = json_string_value(json_object_get(body, key));
  return value ? value : "";
}

// The marks of the overlay, as the cache has them.
enum { VIEWED = 1 | 16 | 32 | 128, CLICKED = 2, DISMISSED = 8 | 256 | 512 | 1024 };

static void add(feed *shown, json_t *body, const char *provider, int64_t marks) {
  const char *id = json_string_value(json_object_get(body, "id"));
  const char *is = kind(json_string_value(json_object_get(body, "tp")));
  if (!id || !is || marks & DISMISSED) return json_decref(body);
  int viewed = flag(body, "v") || marks & VIEWED;
  int clicked = flag(body, "cl") || marks & CLICKED;
  int pinned = flag(body, "p");
  if (shown->count % 64 == 0)
    shown->all = realloc(shown->all, (shown->count + 64) * sizeof *shown->all);
  card *c = &shown->all[shown->count++];
  shown->unread += !viewed;
  size_t length = strlen(provider) + strlen(id) + 2;
  c->body = body;
  c->id = malloc(length);
  snprintf(c->id, length, "%s/%s", provider, id);
  snprintf(c->state, sizeof c->state, "%s%s", pinned ? "pinned " : "",
           clicked ? "clicked" : viewed ? "viewed" : "new");
  c->cells[KIND] = is;
  c->cells[TITLE] = text(body, "tt");
  const char *said = text(body, "ds");
  c->cells[TEXT] = *said ? said : text(body, "image_alt");
}

static feed read_feed(sqlite3 *db, const char *provider, int64_t now, int64_t *heard) {
  feed shown = {0};
  uint64_t salt = owner(db, provider);
  sqlite3_stmt *rows = cache_prepare(
      db, "SELECT item.name, item.seal, item.body, overlay.marks, feed.refreshed FROM setting"
          " JOIN partition ON partition.environment = 'production' AND"
          " partition.user = CAST(setting.value AS BLOB)"
          " JOIN source ON source.partition = partition.id AND source.provider = ?1 AND"
          " source.surface = 'cards'"
          " JOIN feed ON feed.source = source.id AND feed.name = '{}'"
          " CROSS JOIN membership ON membership.feed = feed.id AND expires > ?2"
          " CROSS JOIN item ON item.id = membership.item"
          " LEFT JOIN overlay ON overlay.source = source.id AND overlay.name = item.name"
          " WHERE setting.name = 'user production' AND ifnull(overlay.snoozed <= ?2, 1)"
          " AND ifnull(overlay.ends > ?2, 1) ORDER BY rank1, rank2, rank3, place");
  sqlite3_bind_text(rows, 1, provider, -1, SQLITE_STATIC);
  sqlite3_bind_int64(rows, 2, now);
  while (cache_must(db, sqlite3_step(rows)) == SQLITE_ROW) {
    const uint8_t *name = sqlite3_column_blob(rows, 0), *body = sqlite3_column_blob(rows, 2);
    size_t size = sqlite3_column_bytes(rows, 2);
    uint64_t hash = seal_hash(body, size) ^ seal_salt(name, sqlite3_column_bytes(rows, 0), salt);
    *heard = sqlite3_column_int64(rows, 4);
    if ((int64_t)hash != sqlite3_column_int64(rows, 1)) continue;
    json_t *parsed = json_loadb((const char *)body, size, JSON_REJECT_DUPLICATES, NULL);
    if (parsed) add(&shown, parsed, provider, sqlite3_column_int64(rows, 3));
  }
  sqlite3_finalize(rows);
  return shown;
}

// MARK: The table

static size_t common(const char *left, const char *right) {
  size_t count = 0;
  while (left[count] && left[count] == right[count]) count++;
  return count;
}

static int by_id(const void *left, const void *right) {
  return strcmp((*(card *const *)left)->id, (*(card *const *)right)->id);
}

// Ids are as long as it takes to tell them apart, and no shorter than eight characters.
static void shorten(feed *shown, const char *provider) {
  card **sorted = malloc(shown->count * sizeof *sorted);
  for (size_t i = 0; i < shown->count; i++) sorted[i] = &shown->all[i];
  qsort(sorted, shown->count, sizeof *sorted, by_id);
  for (size_t i = 0; i < shown->count; i++) {
    size_t length = strlen(provider) + 8;
    if (i > 0) length = MAX(length, common(sorted[i]->id, sorted[i - 1]->id));
    if (i + 1 < shown->count) length = MAX(length, common(sorted[i]->id, sorted[i + 1]->id));
    sorted[i]->shown = strndup(sorted[i]->id, length + 1);
  }
  free(sorted);
}

// As many columns as characters, which is so for the cards of this work set.
static int columns(const char *text) {
  int count = 0;
  for (; *text; text++) count += (*text & 0xc0) != 0x80;
  return count;
}

static void print_row(const char *const *cells, const int *widths) {
  int owed = 0;
  for (int i = 0; i < COLUMNS; i++) {
    if (*cells[i]) printf("%*s%s", owed, "", cells[i]);
    owed = (*cells[i] ? 0 : owed) + widths[i] - (*cells[i] ? columns(cells[i]) : 0) + 2;
  }
  putchar('\n');
}

static void print(const feed *shown, const char *provider, int64_t heard) {
  int widths[COLUMNS];
  for (int i = 0; i < COLUMNS; i++) widths[i] = columns(titles[i]);
  for (size_t n = 0; n < shown->count; n++) {
    card *c = &shown->all[n];
    c->cells[ID] = c->shown;
    c->cells[STATE] = c->state;
    for (int i = 0; i < COLUMNS; i++) widths[i] = MAX(widths[i], columns(c->cells[i]));
  }
  print_row(titles, widths);
  for (size_t n = 0; n < shown->count; n++) print_row(shown->all[n].cells, widths);
  char date[32];
  time_t seconds = heard / 1000;
  struct tm utc;
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &utc));
  printf("%zu card%s, %zu new, %s as of %s.%03dZ\n", shown->count, shown->count == 1 ? "" : "s",
         shown->unread, provider, date, (int)(heard % 1000));
}

static void cards(void) {
  setting found = configuration();
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  int64_t now = time.tv_sec * 1000LL + time.tv_nsec / 1000000, heard = 0;
  sqlite3 *db = opened(found.cache);
  feed shown = read_feed(db, found.provider, now, &heard);
  cache_run(db, "COMMIT");
  sqlite3_close(db);
  shorten(&shown, found.provider);
  print(&shown, found.provider, heard);
}

int main(int argc, char **argv) {
  if (argc != 2) return 64;
  if (!strcmp(argv[1], "--version")) {
    puts("engage " VERSION);
  } else if (!strcmp(argv[1], "cards")) {
    cards();
  } else {
    return 64;
  }
  return 0;
}
