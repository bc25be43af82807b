#pragma once
#include <microhttpd.h>

// Two functions take a variable number of arguments, which Swift cannot pass.

static inline struct MHD_Daemon *microhttpd_start(
    int listening, size_t memory, unsigned int idle, MHD_AccessHandlerCallback access,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connected,
    void *(*target)(void *, const char *, struct MHD_Connection *), void *context) {
  return MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, access, context,
      MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_TIMEOUT, idle,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, connected, context,
      MHD_OPTION_URI_LOG_CALLBACK, target, context, MHD_OPTION_END);
}

static inline int microhttpd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}
