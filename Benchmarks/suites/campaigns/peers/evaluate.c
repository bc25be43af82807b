// evaluate CAMPAIGNS EVENTS: one event after the other against all campaigns, over structs.
//
// The rules are those of the library: names and texts compare without case and outer white space; a
// campaign is due if its event has the name, all three conditions hold and both limits allow it; the due
// ones are in the order of priority and then of id. Names and expected values are prepared once, the
// properties of an event once for each event.
#define _GNU_SOURCE
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { NAMES = 3, TEXT = 64 };
enum comparison { GREATER, EQUALS, BETWEEN };
enum limit_kind { IN_SESSION, IN_DAYS };

typedef struct {
  int name;  // The index of the property.
  enum comparison comparison;
  double low, high;
  char text[TEXT];
} condition;

typedef struct {
  enum limit_kind kind;
  int limit, frequency;
} limit;

typedef struct {
  int id, priority;
  char event[TEXT];
  condition conditions[3];
  limit limits[2];
} campaign;

typedef struct {
  const char *name;
  int is_number;
  double number;
  const char *text;
} property;

typedef struct {
  int is_there, is_number;
  double number;
  char text[TEXT];
} fact;

static const char *const names[NAMES] = {"price", "city", "count"};
static const char *const cities[3] = {"Sofia", "varna", "Ruse"};
static const int64_t now = 1770552000, day = 86400;
static int64_t presentations[4];

// In lower case, without outer white space.
static void normalize(char *to, const char *from) {
  while (isspace((unsigned char)*from)) from++;
  size_t count = strnlen(from, TEXT - 1);
  while (count && isspace((unsigned char)from[count - 1])) count--;
  for (size_t i = 0; i < count; i++) to[i] = (char)tolower((unsigned char)from[i]);
  to[count] = 0;
}

static campaign make(int number) {
  campaign c = {.id = number, .priority = number % 10};
  normalize(c.event, "bought");
  c.conditions[0] = (condition){.name = 0, .comparison = GREATER, .low = number % 50};
  c.conditions[1] = (condition){.name = 1, .comparison = EQUALS};
  normalize(c.conditions[1].text, cities[number % 3]);
  c.conditions[2] =
      (condition){.name = 2, .comparison = BETWEEN, .low = number % 4, .high = number % 4 + 2};
  c.limits[0] = (limit){IN_SESSION, number % 5 + 1, 0};
  c.limits[1] = (limit){IN_DAYS, 3, number % 7 + 1};
  return c;
}

static int holds(const condition *c, const fact *facts) {
  const fact *f = &facts[c->name];
  if (!f->is_there) return 0;
  switch (c->comparison) {
    case GREATER: return f->is_number && f->number > c->low;
    case EQUALS: return !f->is_number && !strcmp(f->text, c->text);
    case BETWEEN: return f->is_number && f->number >= c->low && f->number <= c->high;
  }
  return 0;
}

static int allows(const limit *l, int in_session) {
  if (l->kind == IN_SESSION) return in_session < l->limit;
  int64_t start = now - now % day - (l->frequency - 1) * day;
  int count = 0;
  for (int i = 3; i >= 0 && presentations[i] >= start; i--) count++;
  return count < l->limit;
}

static int before(const void *left, const void *right) {
  const campaign *a = *(const campaign *const *)left, *b = *(const campaign *const *)right;
  if (a->priority != b->priority) return b->priority - a->priority;
  return a->id - b->id;
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  int count = atoi(argv[1]), events = atoi(argv[2]);
  const int hours[4] = {5 * 24, 3 * 24, 25, 1};
  for (int i = 0; i < 4; i++) presentations[i] = now - hours[i] * 3600;
  campaign *campaigns = malloc(count * sizeof *campaigns);
  const campaign **eligible = malloc(count * sizeof *eligible);
  for (int i = 0; i < count; i++) campaigns[i] = make(i);
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  struct rusage old, new;
  getrusage(RUSAGE_SELF, &old);
  int64_t check = 0;
  for (int number = 0; number < events; number++) {
    property properties[] = {
        {"price", 1, number % 50, 0}, {"city", 0, 0, "Varna "}, {"count", 1, 3, 0}, {"item", 0, 0, "tea"}};
    char event[TEXT], name[TEXT];
    normalize(event, "Bought");
    fact facts[NAMES] = {0};
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
      normalize(name, properties[i].name);
      for (int n = 0; n < NAMES; n++) {
        if (strcmp(name, names[n])) continue;
        facts[n] = (fact){1, properties[i].is_number, properties[i].number, ""};
        if (!properties[i].is_number) normalize(facts[n].text, properties[i].text);
      }
    }
    int fired = 0, found = 0;
    for (int i = 0; i < count; i++) {
      const campaign *c = &campaigns[i];
      if (strcmp(c->event, event)) continue;
      if (!holds(&c->conditions[0], facts) || !holds(&c->conditions[1], facts) ||
          !holds(&c->conditions[2], facts))
        continue;
      fired++;
      if (allows(&c->limits[0], 2) && allows(&c->limits[1], 2)) eligible[found++] = c;
    }
    qsort(eligible, found, sizeof *eligible, before);
    check += fired * 31 + found * 7 + (found ? eligible[0]->id : 0);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  getrusage(RUSAGE_SELF, &new);
  double wall = (end.tv_sec - start.tv_sec) * 1e3 + (end.tv_nsec - start.tv_nsec) / 1e6;
  double cpu = (new.ru_utime.tv_sec - old.ru_utime.tv_sec) * 1e3 +
               (new.ru_utime.tv_usec - old.ru_utime.tv_usec) / 1e3 +
               (new.ru_stime.tv_sec - old.ru_stime.tv_sec) * 1e3 +
               (new.ru_stime.tv_usec - old.ru_stime.tv_usec) / 1e3;
  printf("{\"one_ms\":%.6f,\"one_cpu_ms\":%.6f,\"one_rows\":%d,\"one_check\":%lld,\"peak_kb\":%ld}\n",
         wall / events, cpu / events, events, (long long)check, new.ru_maxrss);
}
