#pragma once
// Options reach the wrappers below as variables, which curl's checks by macro can't follow.
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

// A variadic function, which Swift cannot call: one wrapper for each type that an option takes.
static inline CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

// As above.
static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

// As above.
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

// As above.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

// As above.
static inline CURLcode ccurl_set_bytes(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}

// As above.
static inline CURLcode ccurl_set_list(
    CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

// As above.
static inline CURLcode ccurl_set_receiver(
    CURL *easy, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(easy, option, value);
}

// As above.
static inline CURLcode ccurl_set_before_request(CURL *easy, curl_prereq_callback value) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

// As above; and the option by name came with 7.85, which Ubuntu 22.04 does not have.
static inline CURLcode ccurl_set_web_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

// As above, from 7.87 on: without it, giving up a transfer waits for its name to be resolved.
static inline CURLcode ccurl_set_quick_exit(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  return easy ? CURLE_OK : CURLE_FAILED_INIT;
#endif
}

// A variadic function, which Swift cannot call.
static inline CURLcode ccurl_get_number(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

// As above.
static inline CURLcode ccurl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

// As above.
static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, value);
}

// As above.
static inline CURLcode ccurl_get_socket(CURL *easy, curl_socket_t *value) {
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

// As above. The connection's `SSL`, or null where OpenSSL is not what encrypts it.
static inline void *ccurl_openssl(CURL *easy) {
  struct curl_tlssessioninfo *session = 0;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK) return 0;
  return session && session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : 0;
}

// A variadic function, which Swift cannot call.
static inline CURLMcode ccurl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// As above. All of them get the same context; null takes them back.
static inline CURLMcode ccurl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback sockets, curl_multi_timer_callback timer, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, sockets);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
  return code;
}

// The result sits in a union, which Swift reads by copying the whole message. Null: none is done.
static inline CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)))
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  return 0;
}
