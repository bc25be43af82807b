// Dates as vendors write them, `2026-02-02T08:00:00.123+00:00`, for the C and C++ peers.
#pragma once
#include <stddef.h>
#include <stdint.h>

static inline int date_number(const char *text, int count, int *is_sound) {
  int number = 0;
  for (int i = 0; i < count; i++) {
    if (text[i] < '0' || text[i] > '9') *is_sound = 0;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

// The days from 1970 to a day of the Gregorian calendar; a year is counted from its March.
static inline int64_t date_days(int year, int month, int day) {
  int64_t years = month > 2 ? year : year - 1;
  int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return years * 365 + years / 4 - years / 100 + years / 400 + of_year - 719468;
}

// The milliseconds since 1970; 0 for what is no such date. A fraction may have any length, and
// the zone is `Z` or an offset.
static inline int64_t date_milliseconds(const char *text, size_t count) {
  int is_sound = 1;
  if (count < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':')
    return 0;
  int year = date_number(text, 4, &is_sound), month = date_number(text + 5, 2, &is_sound);
  int day = date_number(text + 8, 2, &is_sound), hour = date_number(text + 11, 2, &is_sound);
  int minute = date_number(text + 14, 2, &is_sound), second = date_number(text + 17, 2, &is_sound);
  int64_t milliseconds = 0, unit = 100;
  size_t at = 19;
  if (text[at] == '.')
    for (at++; at < count && text[at] >= '0' && text[at] <= '9'; at++, unit /= 10)
      milliseconds += unit * (text[at] - '0');
  int64_t offset = 0;
  if (count - at == 6 && (text[at] == '+' || text[at] == '-') && text[at + 3] == ':') {
    offset = date_number(text + at + 1, 2, &is_sound) * 60 + date_number(text + at + 4, 2, &is_sound);
    if (text[at] == '-') offset = -offset;
  } else if (count - at != 1 || text[at] != 'Z')
    return 0;
  if (!is_sound || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 ||
      second > 60)
    return 0;
  int64_t minutes = (date_days(year, month, day) * 24 + hour) * 60 + minute - offset;
  return (minutes * 60 + second) * 1000 + milliseconds;
}
