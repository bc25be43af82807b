#pragma once
#include <zlib.h>

// Macros that pass the size of a structure: Swift imports none of that kind. 31 asks for the gzip format
// with the largest window.
static inline int czlib_start_gzip(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
}
static inline int czlib_start_gunzip(z_stream *stream) { return inflateInit2(stream, 31); }
