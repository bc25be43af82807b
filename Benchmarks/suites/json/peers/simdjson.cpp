// simdjson FILE cards|inbox parse|split|cards|model PASSES
//
// `parse` is the DOM, which checks every value. The others are the on-demand interface, which
// checks only the values that it is asked for. `model` is of the inbox alone.
#include "bench.h"
#include "date.h"
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

// What an application shows and what actions need, with the dates in milliseconds. A field may be
// absent or of another type, as in ours; without the two that must be there it is no message.
struct Message {
  std::string id, subject, text, detail, collapse, icon, image, type, activity;
  int64_t created = 0, expires = 0;
  bool read = false;
  std::vector<std::pair<std::string, std::string>> custom;
};

static void put(simdjson_result<ondemand::value> value, std::string &to) {
  std::string_view view;
  if (value.get_string().get(view) == SUCCESS) to = view;
}

static void put(simdjson_result<ondemand::value> value, int64_t &to) {
  std::string_view view;
  if (value.get_string().get(view) == SUCCESS) to = date_milliseconds(view.data(), view.size());
}

static bool mapped(ondemand::object &object, Message &message) {
  bool flag;
  put(object["message_uid"], message.id);
  put(object["subject"], message.subject);
  put(object["content"], message.text);
  put(object["detail"], message.detail);
  put(object["collapse_key"], message.collapse);
  if (object["read"].get(flag) == SUCCESS) message.read = flag;
  put(object["created_at"], message.created);
  put(object["expires_at"], message.expires);
  ondemand::object part;
  if (object["images"].get(part) == SUCCESS) {
    put(part["icon"], message.icon);
    put(part["main"], message.image);
  }
  if (object["inbox_custom_data"].get(part) == SUCCESS) {
    for (auto field : part) {
      std::string_view value;
      std::string key(std::string_view(field.unescaped_key()));
      if (field.value().get_string().get(value) == SUCCESS)
        message.custom.emplace_back(std::move(key), value);
    }
  }
  if (object["apprefdata"].get(part) == SUCCESS) {
    put(part["activityType"], message.type);
    put(part["activityUid"], message.activity);
  }
  return !message.id.empty() && !message.text.empty();
}

static uint64_t check_of(const Message &message) {
  uint64_t check = message.created + message.expires + message.read;
  for (auto text : {&message.id, &message.subject, &message.text, &message.detail,
                    &message.collapse, &message.icon, &message.image, &message.type,
                    &message.activity})
    check += text->size();
  for (auto &pair : message.custom) check += pair.first.size() + pair.second.size();
  return check;
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
    std::vector<Message> messages;
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
        else if (row == "model") {
          Message message;
          if (mapped(object, message)) messages.push_back(std::move(message));
        } else
          values.push_back(inbox ? message(object) : card(object));
      }
      items = slices.size() + values.size() + messages.size();
    }
    bench_stop(&c);
    for (auto slice : slices) check += slice.size();
    for (auto &value : values)
      for (auto &string : value.text) check += string.size();
    for (auto &message : messages) check += check_of(message);
  }
  bench_report(&c, items, check);
}
