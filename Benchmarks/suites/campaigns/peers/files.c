// files: serves GET /BYTES/NAME.png on a free port of the loopback with so many bytes that begin as a PNG
// does and go on with the name, so that no two files have the same contents. Prints its port; ends when its
// standard input does.
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };
static const char SIGNATURE[8] = "\x89PNG\r\n\x1a\n";

static int send_all(int socket, const char *bytes, size_t count) {
  while (count) {
    ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) return 0;
    bytes += sent;
    count -= sent;
  }
  return 1;
}

static int answer(int socket, const char *head) {
  unsigned long size;
  char name[64] = "", line[256], *piece = calloc(1, PIECE);
  if (sscanf(head, "GET /%lu/%63[^. ]", &size, name) != 2) {
    free(piece);
    return 0;
  }
  int count = snprintf(line, sizeof line,
                       "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: %lu\r\n\r\n",
                       size);
  int is_sent = send_all(socket, line, count);
  memcpy(piece, SIGNATURE, sizeof SIGNATURE);
  memcpy(piece + sizeof SIGNATURE, name, sizeof name);
  while (is_sent && size) {
    size_t part = size < PIECE ? size : PIECE;
    is_sent = send_all(socket, piece, part);
    size -= part;
  }
  free(piece);
  return is_sent;
}

static void *serve(void *context) {
  int socket = (int)(long)context;
  char head[8192];
  size_t count = 0;
  for (;;) {
    ssize_t got = recv(socket, head + count, sizeof head - 1 - count, 0);
    if (got <= 0) break;
    count += got;
    head[count] = 0;
    if (!strstr(head, "\r\n\r\n")) continue;
    count = 0;
    if (!answer(socket, head)) break;
  }
  close(socket);
  return 0;
}

static void *accept_all(void *context) {
  for (;;) {
    int on = 1, socket = accept((int)(long)context, 0, 0);
    if (socket < 0) exit(2);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    pthread_t thread;
    if (pthread_create(&thread, 0, serve, (void *)(long)socket)) exit(2);
    pthread_detach(thread);
  }
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 512)) return 2;
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  pthread_t thread;
  if (pthread_create(&thread, 0, accept_all, (void *)(long)listener)) return 2;
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
}
