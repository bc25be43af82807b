// cache_simdjson sync DB FIRST SECOND   every card upserted in one transaction
// cache_simdjson fill DB CARDS
// cache_simdjson screen DB COUNT NOW    the first cards of the feed, mapped from their bodies, twice
//
// The on-demand interface, at its best: bytes are bound where they lie, bodies as they came.
#include "cache.h"
#include <simdjson.h>
#include <string>
#include <utility>
#include <vector>

using namespace simdjson;

static cache_text text(std::string_view view) { return {view.data(), view.size()}; }

// The fields in the order in which the vendor sends them: what is asked for next is found next.
static cache_card row(ondemand::object object) {
  cache_card card{};
  card.body = text(object.raw_json());
  object.reset();
  card.id = text(object["id"].get_string());
  card.kind = text(object["tp"].get_string());
  card.title = text(object["tt"].get_string());
  card.text = text(object["ds"].get_string());
  card.image = text(object["i"].get_string());
  card.url = text(object["u"].get_string());
  card.created = object["ca"];
  card.expires = object["ea"];
  card.ratio = object["ar"];
  card.viewed = bool(object["v"]);
  card.clicked = bool(object["cl"]);
  card.pinned = bool(object["p"]);
  card.dismissible = bool(object["db"]);
  card.web = bool(object["uw"]);
  ondemand::object extras = object["e"];
  card.extras = text(extras.raw_json());
  return card;
}

static cache_time sync_cards(sqlite3 *db, const char *path) {
  size_t length;
  char *bytes = bench_read(path, SIMDJSON_PADDING, &length);
  cache_time start = cache_now();
  {
    ondemand::parser parser;
    auto root = parser.iterate(bytes, length, length + SIMDJSON_PADDING);
    sqlite3_stmt *upsert = cache_prepare(db, CACHE_UPSERT);
    cache_run(db, "BEGIN IMMEDIATE");
    for (auto element : root["cards"].get_array()) {
      cache_card card = row(element.get_object());
      cache_put(db, upsert, &card);
    }
    cache_run(db, "COMMIT");
    sqlite3_finalize(upsert);
  }
  cache_time time = cache_since(start);
  free(bytes);
  return time;
}

struct Card {
  std::string id, kind, title, text, image, alt, language, url, link;
  double ratio = 0;
  int64_t created = 0, expires = 0;
  bool viewed = false, clicked = false, pinned = false, dismissible = false, web = false,
       test = false;
  std::vector<std::pair<std::string, std::string>> extras;
};

static void put(ondemand::object &object, const char *name, std::string &to) {
  std::string_view view;
  if (object[name].get_string().get(view) == SUCCESS) to = view;
}

template <typename Value> static void put(ondemand::object &object, const char *name, Value &to) {
  Value value;
  if (object[name].get(value) == SUCCESS) to = value;
}

static Card mapped(ondemand::parser &parser, const char *bytes, size_t count, size_t room) {
  Card card;
  auto document = parser.iterate(bytes, count, room);
  ondemand::object object = document.get_object();
  put(object, "id", card.id);
  put(object, "tp", card.kind);
  put(object, "tt", card.title);
  put(object, "ds", card.text);
  put(object, "i", card.image);
  put(object, "u", card.url);
  put(object, "ca", card.created);
  put(object, "ea", card.expires);
  put(object, "ar", card.ratio);
  put(object, "v", card.viewed);
  put(object, "cl", card.clicked);
  put(object, "p", card.pinned);
  put(object, "db", card.dismissible);
  put(object, "t", card.test);
  put(object, "uw", card.web);
  for (auto field : object["e"].get_object()) {
    std::string key(std::string_view(field.unescaped_key()));
    card.extras.emplace_back(std::move(key), std::string_view(field.value().get_string()));
  }
  put(object, "image_alt", card.alt);
  put(object, "language", card.language);
  put(object, "dm", card.link);
  return card;
}

static void screen(const char *name, const char *path, int count, int64_t now) {
  std::vector<Card> cards;
  cache_time start = cache_now();
  sqlite3 *db = cache_open(path, SQLITE_OPEN_READONLY);
  sqlite3_stmt *feed = cache_prepare(
      db, "SELECT body FROM card WHERE (expires < 0 OR expires > ?1) AND kind <> 'control'"
          " ORDER BY pinned DESC, created DESC LIMIT ?2");
  sqlite3_bind_int64(feed, 1, now);
  sqlite3_bind_int(feed, 2, count);
  cards.reserve(count);
  ondemand::parser parser;
  std::string padded;
  while (cache_must(db, sqlite3_step(feed)) == SQLITE_ROW) {
    size_t length = sqlite3_column_bytes(feed, 0);
    padded.assign((const char *)sqlite3_column_blob(feed, 0), length);
    padded.append(SIMDJSON_PADDING, '\0');
    cards.push_back(mapped(parser, padded.data(), length, padded.size()));
  }
  cache_time time = cache_since(start);
  size_t check = 0;
  for (auto &card : cards)
    check += card.id.size() + card.title.size() + card.text.size() + card.image.size() +
             card.url.size();
  printf("\"%s_ms\":%.4f,\"%s_cpu_ms\":%.4f,\"%s_rows\":%zu,\"%s_check\":%zu,", name, time.wall,
         name, time.cpu, name, cards.size(), name, check);
  sqlite3_finalize(feed);
  sqlite3_close_v2(db);
}

int main(int argc, char **argv) {
  if (argc == 4) {
    sqlite3 *db = cache_make(argv[2], CACHE_TABLE);
    sync_cards(db, argv[3]);
    cache_close(db);
    return 0;
  }
  if (argc != 5) return 64;
  if (std::string(argv[1]) == "screen") {
    printf("{");
    screen("screen", argv[2], atoi(argv[3]), atoll(argv[4]));
    screen("again", argv[2], atoi(argv[3]), atoll(argv[4]));
    printf("\"peak_kb\":%ld}\n", bench_peak_kb());
    return 0;
  }
  sqlite3 *db = cache_make(argv[2], CACHE_TABLE);
  cache_time first = sync_cards(db, argv[3]);
  printf("{\"peak_kb\":%ld,", bench_peak_kb());
  cache_report(db, CACHE_COUNT, "first", first);
  cache_time second = sync_cards(db, argv[4]);
  printf(",");
  cache_report(db, CACHE_COUNT, "second", second);
  puts("}");
  cache_close(db);
}
