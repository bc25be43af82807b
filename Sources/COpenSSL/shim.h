#pragma once
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Functions over stacks are macros, which Swift does not import. The chain from the server's own
// certificate to the trusted one, as the handshake verified it; null after the last.
static inline X509 *copenssl_verified(const SSL *connection, int place) {
  STACK_OF(X509) *chain = SSL_get0_verified_chain(connection);
  return chain && place < sk_X509_num(chain) ? sk_X509_value(chain, place) : 0;
}
