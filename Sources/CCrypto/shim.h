#pragma once
// The functions on plain structures: a copy of one is a hash that goes on by itself. OpenSSL 3 advises
// against them because they do not ask its providers.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
