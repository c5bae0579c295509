#include "CHiredis.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// The layout of an answer differs between versions, so only the version of the header will do.
#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)
#define LIBRARY "libhiredis.so." TEXT(HIREDIS_SONAME)

const char *const redis_link_package = "libhiredis" TEXT(HIREDIS_SONAME);

static __typeof__(&redisFormatCommandArgv) format_command;
static __typeof__(&redisReaderCreate) make_reader;
static __typeof__(&redisReaderFree) free_reader;
static __typeof__(&redisReaderFeed) feed_reader;
static __typeof__(&redisReaderGetReply) get_reply;
static __typeof__(&freeReplyObject) free_reply;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem;

static void load(void) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    problem = strdup(dlerror());
    return;
  }
  format_command = (__typeof__(format_command))dlsym(library, "redisFormatCommandArgv");
  make_reader = (__typeof__(make_reader))dlsym(library, "redisReaderCreate");
  free_reader = (__typeof__(free_reader))dlsym(library, "redisReaderFree");
  feed_reader = (__typeof__(feed_reader))dlsym(library, "redisReaderFeed");
  get_reply = (__typeof__(get_reply))dlsym(library, "redisReaderGetReply");
  free_reply = (__typeof__(free_reply))dlsym(library, "freeReplyObject");
  if (!format_command || !make_reader || !free_reader || !feed_reader || !get_reply || !free_reply)
    problem = LIBRARY " is incomplete";
}

const char *redis_link_load(void) {
  pthread_once(&once, load);
  return problem;
}

struct redis_link {
  int socket;
  SSL_CTX *context;
  SSL *tls;
  redisReader *reader;
};

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

// Waits for the socket. Returns whether it is ready before the deadline.
static int wait_for(int socket, short events, long long deadline) {
  for (;;) {
    long long left = deadline - now();
    if (left <= 0) return 0;
    struct pollfd entry = {.fd = socket, .events = events};
    int count = poll(&entry, 1, (int)left);
    if (count > 0) return 1;
    if (count < 0 && errno != EINTR) return 0;
  }
}

static void say(char *text, size_t size, const char *message) {
  if (size) snprintf(text, size, "%s", message);
}

static enum redis_link_status open_socket(struct redis_link *link, const char *address, int port, long long deadline,
                                          char *text, size_t size) {
  struct sockaddr_storage storage = {0};
  socklen_t length;
  struct sockaddr_in *v4 = (struct sockaddr_in *)&storage;
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&storage;
  if (inet_pton(AF_INET, address, &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons((uint16_t)port);
    length = sizeof *v4;
  } else if (inet_pton(AF_INET6, address, &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons((uint16_t)port);
    length = sizeof *v6;
  } else {
    say(text, size, "not an IP address");
    return redis_link_connect;
  }
  link->socket = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (link->socket < 0) {
    say(text, size, strerror(errno));
    return redis_link_connect;
  }
  int on = 1;
  setsockopt(link->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(link->socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  if (connect(link->socket, (struct sockaddr *)&storage, length) != 0) {
    if (errno != EINPROGRESS) {
      say(text, size, strerror(errno));
      return redis_link_connect;
    }
    if (!wait_for(link->socket, POLLOUT, deadline)) {
      say(text, size, "no connection in time");
      return redis_link_connect;
    }
    int error = 0;
    socklen_t error_size = sizeof error;
    getsockopt(link->socket, SOL_SOCKET, SO_ERROR, &error, &error_size);
    if (error) {
      say(text, size, strerror(error));
      return redis_link_connect;
    }
  }
  return redis_link_ok;
}

// Waits as a call of OpenSSL asks for. Returns whether the call is to be repeated.
static int tls_wants_again(struct redis_link *link, int result, long long deadline) {
  switch (SSL_get_error(link->tls, result)) {
    case SSL_ERROR_WANT_READ: return wait_for(link->socket, POLLIN, deadline);
    case SSL_ERROR_WANT_WRITE: return wait_for(link->socket, POLLOUT, deadline);
    default: return 0;
  }
}

static enum redis_link_status open_tls(struct redis_link *link, const char *name, const char *authorities,
                                       long long deadline, char *text, size_t size) {
  ERR_clear_error();
  link->context = SSL_CTX_new(TLS_client_method());
  if (!link->context || SSL_CTX_set_min_proto_version(link->context, TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_default_verify_paths(link->context) != 1 ||
      (authorities && SSL_CTX_load_verify_locations(link->context, authorities, NULL) != 1) ||
      !(link->tls = SSL_new(link->context)) || SSL_set_fd(link->tls, link->socket) != 1) {
    say(text, size, "the trusted certificates cannot be read");
    return redis_link_tls;
  }
  SSL_set_verify(link->tls, SSL_VERIFY_PEER, NULL);
  struct in6_addr unused;
  int is_address = inet_pton(AF_INET, name, &unused) == 1 || inet_pton(AF_INET6, name, &unused) == 1;
  if (is_address) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(link->tls), name);
  } else {
    SSL_set1_host(link->tls, name);
    SSL_set_tlsext_host_name(link->tls, name);
  }
  for (;;) {
    int result = SSL_connect(link->tls);
    if (result == 1) return redis_link_ok;
    if (tls_wants_again(link, result, deadline)) continue;
    long verified = SSL_get_verify_result(link->tls);
    if (verified != X509_V_OK) {
      say(text, size, X509_verify_cert_error_string(verified));
    } else {
      const char *reason = ERR_reason_error_string(ERR_peek_error());
      say(text, size, reason ? reason : "no TLS in time");
    }
    return redis_link_tls;
  }
}

enum redis_link_status redis_link_open(struct redis_link **result, const char *address, int port, const char *tls_name,
                                       const char *authorities, int milliseconds, char *text, size_t size) {
  *result = NULL;
  if (redis_link_load()) {
    say(text, size, problem);
    return redis_link_connect;
  }
  struct redis_link *link = calloc(1, sizeof *link);
  if (!link || !(link->reader = make_reader())) {
    free(link);
    say(text, size, "no memory for a connection");
    return redis_link_connect;
  }
  link->socket = -1;
  long long deadline = now() + milliseconds;
  enum redis_link_status status = open_socket(link, address, port, deadline, text, size);
  if (status == redis_link_ok && tls_name) status = open_tls(link, tls_name, authorities, deadline, text, size);
  if (status != redis_link_ok) {
    redis_link_close(link);
    return status;
  }
  *result = link;
  return redis_link_ok;
}

// Reads or writes some bytes. Returns their number, 0 at the end of the connection, -1 when the time is up.
static long transfer(struct redis_link *link, char *bytes, size_t count, int is_write, long long deadline) {
  for (;;) {
    if (link->tls) {
      ERR_clear_error();
      int part = count > 1 << 20 ? 1 << 20 : (int)count;
      int done = is_write ? SSL_write(link->tls, bytes, part) : SSL_read(link->tls, bytes, part);
      if (done > 0) return done;
      int error = SSL_get_error(link->tls, done);
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return 0;
      if (!tls_wants_again(link, done, deadline)) return -1;
    } else {
      ssize_t done = is_write ? send(link->socket, bytes, count, MSG_NOSIGNAL) : recv(link->socket, bytes, count, 0);
      if (done > 0) return done;
      if (done == 0) return 0;
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return 0;
      if (!wait_for(link->socket, is_write ? POLLOUT : POLLIN, deadline)) return -1;
    }
  }
}

static enum redis_link_status failed(long result, char *text, size_t size) {
  say(text, size, result < 0 ? "no answer in time" : "the connection was lost");
  return result < 0 ? redis_link_timeout : redis_link_lost;
}

static enum redis_link_status read_reply(struct redis_link *link, long long deadline, char *text, size_t size) {
  char bytes[4096];
  for (;;) {
    void *found = NULL;
    if (get_reply(link->reader, &found) != REDIS_OK) {
      say(text, size, "the answer is not one of Redis");
      return redis_link_lost;
    }
    redisReply *reply = found;
    if (reply) {
      enum redis_link_status status = reply->type == REDIS_REPLY_ERROR ? redis_link_error : redis_link_ok;
      if (size) text[0] = 0;
      if (reply->str) say(text, size, reply->str);
      free_reply(reply);
      return status;
    }
    long count = transfer(link, bytes, sizeof bytes, 0, deadline);
    if (count <= 0) return failed(count, text, size);
    if (feed_reader(link->reader, bytes, (size_t)count) != REDIS_OK) return failed(0, text, size);
  }
}

enum redis_link_status redis_link_command(struct redis_link *link, int count, const char *const *words,
                                          const size_t *lengths, int milliseconds, char *text, size_t size) {
  long long deadline = now() + milliseconds;
  char *command = NULL;
  // The function does not change the words.
  int length = format_command(&command, count, (const char **)words, lengths);
  if (length < 0) {
    say(text, size, "no memory for a command");
    return redis_link_error;
  }
  for (int sent = 0; sent < length;) {
    long done = transfer(link, command + sent, (size_t)(length - sent), 1, deadline);
    if (done <= 0) {
      free(command);
      return failed(done, text, size);
    }
    sent += (int)done;
  }
  free(command);
  return read_reply(link, deadline, text, size);
}

void redis_link_close(struct redis_link *link) {
  if (!link) return;
  if (link->tls) SSL_free(link->tls);
  if (link->context) SSL_CTX_free(link->context);
  if (link->socket >= 0) close(link->socket);
  free_reader(link->reader);
  free(link);
}
