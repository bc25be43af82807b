#pragma once
#include <jansson.h>

// The function has the name of the enumeration that it returns: in Swift neither can be called.
static inline int jansson_error_code(const json_error_t *error) { return (int)json_error_code(error); }
