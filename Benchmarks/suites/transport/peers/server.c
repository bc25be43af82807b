// server: answers every request on a free port of the loopback with the same 18 bytes of JSON, and
// keeps connections. Prints its port; ends when its standard input does.
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static const char ANSWER[] =
    "HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
    "Content-Type: application/json\r\nContent-Length: 18\r\nConnection: keep-alive\r\n\r\n"
    "{\"cards\":[],\"n\":0}";

// Heads end with an empty line; one may come in pieces, so the end so far is kept for each socket.
static unsigned char matched[65536];

static int answer(int socket) {
  char bytes[16384];
  ssize_t count = recv(socket, bytes, sizeof bytes, 0);
  if (count <= 0) return 0;
  for (ssize_t i = 0; i < count; i++) {
    unsigned char *state = &matched[socket];
    *state = bytes[i] == "\r\n\r\n"[*state] ? *state + 1 : bytes[i] == '\r';
    if (*state < 4) continue;
    *state = 0;
    if (send(socket, ANSWER, sizeof ANSWER - 1, MSG_NOSIGNAL) != sizeof ANSWER - 1) return 0;
  }
  return 1;
}

static void watch(int epoll, int file) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = file};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event)) exit(2);
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0), epoll = epoll_create1(0), on = 1;
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 512)) return 2;
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  watch(epoll, listener);
  watch(epoll, STDIN_FILENO);
  for (;;) {
    struct epoll_event events[256];
    int count = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; i++) {
      int file = events[i].data.fd;
      if (file == STDIN_FILENO) return 0;
      if (file == listener) {
        int socket = accept(listener, 0, 0);
        if (socket < 0 || socket >= 65536) return 2;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        matched[socket] = 0;
        watch(epoll, socket);
      } else if (!answer(file)) {
        close(file);
      }
    }
  }
}
