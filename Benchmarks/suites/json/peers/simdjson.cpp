// simdjson FILE cards|inbox parse|split|cards PASSES
//
// `parse` is the DOM, which checks every value. `split` and `cards` are the on-demand interface,
// which checks only the values that it is asked for.
#include "bench.h"
#include <simdjson.h>
#include <string>
#include <utility>
#include <vector>

using namespace simdjson;

struct Item {
  std::string text[7];
  int64_t created = 0, expires = 0;
  bool viewed = false, clicked = false, pinned = false;
  std::vector<std::pair<std::string, std::string>> extras;
};

static std::string text(simdjson_result<ondemand::value> value) {
  return std::string(std::string_view(value));
}

static void pairs(simdjson_result<ondemand::value> value, Item &item) {
  for (auto field : value.get_object()) {
    std::string key(std::string_view(field.unescaped_key()));
    item.extras.emplace_back(std::move(key), text(field.value()));
  }
}

static Item card(ondemand::object &object) {
  Item item;
  const char *keys[] = {"id", "tp", "tt", "ds", "i", "u"};
  for (int k = 0; k < 6; k++) item.text[k] = text(object[keys[k]]);
  item.created = object["ca"];
  item.expires = object["ea"];
  item.viewed = object["v"];
  item.clicked = object["cl"];
  item.pinned = object["p"];
  pairs(object["e"], item);
  return item;
}

static Item message(ondemand::object &object) {
  Item item;
  const char *keys[] = {"message_uid", "subject", "content", "detail", "collapse_key"};
  for (int k = 0; k < 5; k++) item.text[k] = text(object[keys[k]]);
  item.viewed = object["read"];
  item.text[5] = text(object["created_at"]);
  item.text[6] = text(object["expires_at"]);
  pairs(object["images"], item);
  pairs(object["inbox_custom_data"], item);
  return item;
}

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  bool inbox = !strcmp(argv[2], "inbox");
  std::string row = argv[3];
  int passes = atoi(argv[4]) + 1;
  bench_clock c = {(double *)malloc(sizeof(double) * passes), passes};
  size_t length, items = 0;
  uint64_t check = 0;
  char *bytes = bench_read(argv[1], SIMDJSON_PADDING, &length);
  dom::parser dom;
  ondemand::parser parser;
  for (int pass = 0; pass < passes; pass++) {
    std::vector<std::string_view> slices;
    std::vector<Item> values;
    check = 0;
    bench_start(&c);
    if (row == "parse") {
      dom::element root = dom.parse(bytes, length, false);
      items = (inbox ? root : root["cards"]).get_array().value().size();
    } else {
      auto root = parser.iterate(bytes, length, length + SIMDJSON_PADDING);
      for (auto element : inbox ? root.get_array() : root["cards"].get_array()) {
        ondemand::object object = element.get_object();
        if (row == "split")
          slices.push_back(object.raw_json());
        else
          values.push_back(inbox ? message(object) : card(object));
      }
      items = slices.size() + values.size();
    }
    bench_stop(&c);
    for (auto slice : slices) check += slice.size();
    for (auto &value : values)
      for (auto &string : value.text) check += string.size();
  }
  bench_report(&c, items, check);
}
