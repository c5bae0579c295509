#include "CRdKafka.h"

#include <dlfcn.h>
#include <errno.h>
#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The version of the interface, as the name of the library has it.
#define LIBRARY "librdkafka.so.1"

const char *const kafka_link_package = "librdkafka1";

#define EACH_FUNCTION(use) \
  use(rd_kafka_conf_new) use(rd_kafka_conf_destroy) use(rd_kafka_conf_set) use(rd_kafka_conf_set_dr_msg_cb) \
  use(rd_kafka_conf_set_connect_cb) use(rd_kafka_conf_set_error_cb) use(rd_kafka_conf_set_log_cb) \
  use(rd_kafka_conf_set_opaque) use(rd_kafka_new) use(rd_kafka_destroy) use(rd_kafka_poll) use(rd_kafka_purge) \
  use(rd_kafka_produceva) use(rd_kafka_error_code) use(rd_kafka_error_string) use(rd_kafka_error_destroy) \
  use(rd_kafka_headers_new) use(rd_kafka_header_add) use(rd_kafka_headers_destroy) use(rd_kafka_err2str) \
  use(rd_kafka_fatal_error)

#define DECLARE(name) static __typeof__(&name) call_##name;
EACH_FUNCTION(DECLARE)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *problem;

static void load(void) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    problem = strdup(dlerror());
    return;
  }
#define FIND(name) \
  if (!(call_##name = (__typeof__(call_##name))dlsym(library, #name))) problem = LIBRARY " is incomplete";
  EACH_FUNCTION(FIND)
}

const char *kafka_link_load(void) {
  pthread_once(&once, load);
  return problem;
}

struct kafka_link {
  rd_kafka_t *producer;
  kafka_link_permits permits;
  void *context;
  atomic_int was_blocked;
  // Why the last connection to a broker has failed; written by the thread that polls.
  rd_kafka_resp_err_t error;
  char error_text[256];
  // The message in flight, and the answer to it.
  uintptr_t number;
  int is_answered;
  rd_kafka_resp_err_t answer;
};

static void say(char *text, size_t size, const char *message) {
  if (size) snprintf(text, size, "%s", message);
}

// Called for each connection, also to brokers that others have named, with the address to which a name has led.
static int connect_if_permitted(int socket, const struct sockaddr *address, int length, const char *id, void *opaque) {
  (void)id;
  struct kafka_link *link = opaque;
  if (!link->permits(address, link->context)) {
    atomic_store(&link->was_blocked, 1);
    return EACCES;
  }
  if (connect(socket, address, (socklen_t)length) == 0 || errno == EINPROGRESS) return 0;
  return errno;
}

static void note_answer(rd_kafka_t *producer, const rd_kafka_message_t *message, void *opaque) {
  (void)producer;
  struct kafka_link *link = opaque;
  // The answer to an earlier message, which was given up, names another number.
  if ((uintptr_t)message->_private != link->number) return;
  link->is_answered = 1;
  link->answer = message->err;
}

static void note_error(rd_kafka_t *producer, int code, const char *reason, void *opaque) {
  (void)producer;
  struct kafka_link *link = opaque;
  // That all brokers are down follows from an error that says more.
  if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && link->error) return;
  link->error = code;
  say(link->error_text, sizeof link->error_text, reason);
}

// The attempts say what went wrong.
static void drop_line(const rd_kafka_t *producer, int level, const char *facility, const char *line) {
  (void)producer, (void)level, (void)facility, (void)line;
}

enum kafka_link_status kafka_link_open(struct kafka_link **result, const struct kafka_link_settings *settings,
                                       char *text, size_t size) {
  *result = NULL;
  if (kafka_link_load()) {
    say(text, size, problem);
    return kafka_link_connect;
  }
  struct kafka_link *link = calloc(1, sizeof *link);
  rd_kafka_conf_t *conf = link ? call_rd_kafka_conf_new() : NULL;
  if (!conf) {
    free(link);
    say(text, size, "no memory for a producer");
    return kafka_link_connect;
  }
  link->permits = settings->permits;
  link->context = settings->context;
  for (size_t index = 0; index < settings->count; index++) {
    if (call_rd_kafka_conf_set(conf, settings->names[index], settings->values[index], text, size) == RD_KAFKA_CONF_OK)
      continue;
    call_rd_kafka_conf_destroy(conf);
    free(link);
    return kafka_link_refused;
  }
  call_rd_kafka_conf_set_opaque(conf, link);
  call_rd_kafka_conf_set_dr_msg_cb(conf, note_answer);
  call_rd_kafka_conf_set_connect_cb(conf, connect_if_permitted);
  call_rd_kafka_conf_set_error_cb(conf, note_error);
  call_rd_kafka_conf_set_log_cb(conf, drop_line);
  // Takes the settings over when it succeeds.
  link->producer = call_rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, size);
  if (!link->producer) {
    call_rd_kafka_conf_destroy(conf);
    free(link);
    return kafka_link_tls;
  }
  *result = link;
  return kafka_link_ok;
}

static enum kafka_link_status status_of(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_NO_ERROR: return kafka_link_ok;
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN: return kafka_link_connect;
    case RD_KAFKA_RESP_ERR__SSL: return kafka_link_tls;
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM: return kafka_link_login;
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE: return kafka_link_size;
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART: return kafka_link_unroutable;
    case RD_KAFKA_RESP_ERR__QUEUE_FULL:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND:
    case RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR: return kafka_link_full;
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__MSG_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT: return kafka_link_timeout;
    case RD_KAFKA_RESP_ERR__FATAL: return kafka_link_lost;
    // The library has a number for each of some 200 errors; the others are refusals, which the text tells apart.
    default: return kafka_link_refused;
  }
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

// What a message failed of: where the time was up, what the connections have failed of says more.
static enum kafka_link_status failed(struct kafka_link *link, rd_kafka_resp_err_t code, char *text, size_t size) {
  char fatal[256];
  rd_kafka_resp_err_t deep = call_rd_kafka_fatal_error(link->producer, fatal, sizeof fatal);
  if (deep) {
    say(text, size, fatal);
    return kafka_link_lost;
  }
  enum kafka_link_status status = status_of(code);
  if (atomic_load(&link->was_blocked) && status == kafka_link_timeout) {
    say(text, size, "a broker of the cluster has an address that is not allowed");
    return kafka_link_blocked;
  }
  if (status == kafka_link_timeout && link->error) {
    say(text, size, link->error_text);
    return status_of(link->error);
  }
  say(text, size, call_rd_kafka_err2str(code));
  return status;
}

enum kafka_link_status kafka_link_publish(struct kafka_link *link, const struct kafka_link_message *message,
                                          int milliseconds, char *text, size_t size) {
  rd_kafka_headers_t *headers = call_rd_kafka_headers_new(message->header_count);
  for (size_t index = 0; index < message->header_count; index++)
    call_rd_kafka_header_add(headers, message->header_names[index], -1, message->header_values[index], -1);
  link->number += 1;
  link->is_answered = 0;
  link->error = 0;
  atomic_store(&link->was_blocked, 0);
  rd_kafka_vu_t values[] = {
      {.vtype = RD_KAFKA_VTYPE_TOPIC, .u.cstr = message->topic},
      {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {(void *)message->key, message->key ? strlen(message->key) : 0}},
      {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {(void *)message->body, message->body_size}},
      {.vtype = RD_KAFKA_VTYPE_TIMESTAMP, .u.i64 = message->timestamp},
      {.vtype = RD_KAFKA_VTYPE_HEADERS, .u.headers = headers},
      {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY},
      {.vtype = RD_KAFKA_VTYPE_OPAQUE, .u.ptr = (void *)link->number},
  };
  rd_kafka_error_t *error = call_rd_kafka_produceva(link->producer, values, sizeof values / sizeof values[0]);
  if (error) {
    rd_kafka_resp_err_t code = call_rd_kafka_error_code(error);
    // The library has taken the header fields only of a message that it has taken.
    call_rd_kafka_headers_destroy(headers);
    call_rd_kafka_error_destroy(error);
    return failed(link, code, text, size);
  }
  long long deadline = now() + milliseconds;
  while (!link->is_answered && now() < deadline) call_rd_kafka_poll(link->producer, 100);
  if (!link->is_answered) {
    // What is in flight may still be stored; what waits is dropped, so that it is not sent behind its sender's back.
    call_rd_kafka_purge(link->producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    call_rd_kafka_poll(link->producer, 1000);
    if (!link->is_answered || link->answer != RD_KAFKA_RESP_ERR_NO_ERROR)
      return failed(link, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, text, size);
  }
  if (link->answer != RD_KAFKA_RESP_ERR_NO_ERROR) return failed(link, link->answer, text, size);
  return kafka_link_ok;
}

void kafka_link_close(struct kafka_link *link) {
  if (!link) return;
  call_rd_kafka_purge(link->producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  call_rd_kafka_destroy(link->producer);
  free(link);
}
