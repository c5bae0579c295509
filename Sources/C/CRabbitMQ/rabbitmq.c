#include "CRabbitMQ.h"

#include <amqp.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <arpa/inet.h>
#include <dlfcn.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

// The version of the interface, as the name of the library has it.
#define LIBRARY "librabbitmq.so.4"

const char *const amqp_link_package = "librabbitmq4";

#define EACH_FUNCTION(use) \
  use(amqp_new_connection) use(amqp_destroy_connection) use(amqp_tcp_socket_new) use(amqp_ssl_socket_new) \
  use(amqp_ssl_socket_get_context) use(amqp_ssl_socket_set_cacert) use(amqp_ssl_socket_set_verify_peer) \
  use(amqp_ssl_socket_set_verify_hostname) use(amqp_ssl_socket_set_ssl_versions) use(amqp_socket_open_noblock) \
  use(amqp_set_handshake_timeout) use(amqp_set_rpc_timeout) use(amqp_login) use(amqp_channel_open) \
  use(amqp_confirm_select) use(amqp_get_rpc_reply) use(amqp_basic_publish) use(amqp_simple_wait_frame_noblock) \
  use(amqp_maybe_release_buffers) use(amqp_connection_close) use(amqp_error_string2) use(amqp_cstring_bytes)

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

const char *amqp_link_load(void) {
  pthread_once(&once, load);
  return problem;
}

struct amqp_link {
  amqp_connection_state_t state;
  // The number of the last message, which its confirm names.
  uint64_t published;
  // The broker has said that it takes no messages.
  int is_blocked;
  // The broker has closed the channel or the connection, which closes no further.
  int is_closed;
};

static void say(char *text, size_t size, const char *message) {
  if (size) snprintf(text, size, "%s", message);
}

static void say_bytes(char *text, size_t size, amqp_bytes_t bytes) {
  if (size) snprintf(text, size, "%.*s", (int)bytes.len, (const char *)bytes.bytes);
}

static struct timeval span(long long milliseconds) {
  if (milliseconds < 1) milliseconds = 1;
  struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  return time;
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

// What a reason of the broker means (AMQP 0-9-1, 1.8).
static enum amqp_link_status status_of(uint16_t code) {
  switch (code) {
    case 311: return amqp_link_size;
    case 312: case 313: case 404: return amqp_link_unroutable;
    case 506: return amqp_link_full;
    case 320: return amqp_link_lost;
    default: return amqp_link_refused;
  }
}

// What a method that closes the channel or the connection says.
static enum amqp_link_status closed(struct amqp_link *link, const amqp_method_t *method, char *text, size_t size) {
  link->is_closed = 1;
  if (method->id == AMQP_CHANNEL_CLOSE_METHOD) {
    const amqp_channel_close_t *reason = method->decoded;
    say_bytes(text, size, reason->reply_text);
    return status_of(reason->reply_code);
  }
  const amqp_connection_close_t *reason = method->decoded;
  say_bytes(text, size, reason->reply_text);
  return status_of(reason->reply_code);
}

static enum amqp_link_status library_status(int code, char *text, size_t size) {
  say(text, size, call_amqp_error_string2(code));
  return code == AMQP_STATUS_TIMEOUT ? amqp_link_timeout : amqp_link_lost;
}

// The result of a call that waits for an answer.
static enum amqp_link_status answer(struct amqp_link *link, amqp_rpc_reply_t reply, char *text, size_t size) {
  switch (reply.reply_type) {
    case AMQP_RESPONSE_NORMAL: return amqp_link_ok;
    case AMQP_RESPONSE_LIBRARY_EXCEPTION: return library_status(reply.library_error, text, size);
    case AMQP_RESPONSE_SERVER_EXCEPTION:
      if (reply.reply.decoded) return closed(link, &reply.reply, text, size);
    // A close without a reason.
    case AMQP_RESPONSE_NONE:
    default: say(text, size, "the connection was lost"); return amqp_link_lost;
  }
}

static amqp_socket_t *make_socket(struct amqp_link *link, const struct amqp_link_settings *settings) {
  if (!settings->tls_name) return call_amqp_tcp_socket_new(link->state);
  amqp_socket_t *socket = call_amqp_ssl_socket_new(link->state);
  if (!socket) return NULL;
  // The library would compare the certificate with the address to which it connects.
  call_amqp_ssl_socket_set_verify_peer(socket, 1);
  call_amqp_ssl_socket_set_verify_hostname(socket, 0);
  call_amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST);
  SSL_CTX *context = call_amqp_ssl_socket_get_context(socket);
  if (!context || SSL_CTX_set_default_verify_paths(context) != 1) return NULL;
  if (settings->authorities && call_amqp_ssl_socket_set_cacert(socket, settings->authorities) != AMQP_STATUS_OK)
    return NULL;
  struct in6_addr unused;
  int is_address = inet_pton(AF_INET, settings->tls_name, &unused) == 1 ||
                   inet_pton(AF_INET6, settings->tls_name, &unused) == 1;
  X509_VERIFY_PARAM *check = SSL_CTX_get0_param(context);
  int is_set = is_address ? X509_VERIFY_PARAM_set1_ip_asc(check, settings->tls_name)
                          : X509_VERIFY_PARAM_set1_host(check, settings->tls_name, 0);
  return is_set == 1 ? socket : NULL;
}

static enum amqp_link_status connect_link(struct amqp_link *link, const struct amqp_link_settings *settings,
                                          long long deadline, char *text, size_t size) {
  amqp_socket_t *socket = make_socket(link, settings);
  if (!socket) {
    say(text, size, "the trusted certificates cannot be read");
    return amqp_link_tls;
  }
  struct timeval time = span(deadline - now());
  int code = call_amqp_socket_open_noblock(socket, settings->address, settings->port, &time);
  if (code != AMQP_STATUS_OK) {
    say(text, size, call_amqp_error_string2(code));
    int is_tls = code == AMQP_STATUS_SSL_ERROR || code == AMQP_STATUS_SSL_CONNECTION_FAILED ||
                 code == AMQP_STATUS_SSL_PEER_VERIFY_FAILED || code == AMQP_STATUS_SSL_HOSTNAME_VERIFY_FAILED;
    return is_tls ? amqp_link_tls : amqp_link_connect;
  }
  time = span(deadline - now());
  call_amqp_set_handshake_timeout(link->state, &time);
  // No heartbeat: nobody would send it between two messages. A lost connection is noticed at the next message.
  amqp_rpc_reply_t reply = call_amqp_login(link->state, settings->host, 1, AMQP_DEFAULT_FRAME_SIZE, 0,
                                           AMQP_SASL_METHOD_PLAIN, settings->username, settings->password);
  enum amqp_link_status status = answer(link, reply, text, size);
  // 403 is for the password, 530 for a virtual host that does not exist or is not for this user.
  if (status == amqp_link_refused) return amqp_link_login;
  if (status != amqp_link_ok) return status;
  time = span(deadline - now());
  call_amqp_set_rpc_timeout(link->state, &time);
  call_amqp_channel_open(link->state, 1);
  status = answer(link, call_amqp_get_rpc_reply(link->state), text, size);
  if (status != amqp_link_ok) return status;
  call_amqp_confirm_select(link->state, 1);
  return answer(link, call_amqp_get_rpc_reply(link->state), text, size);
}

enum amqp_link_status amqp_link_open(struct amqp_link **result, const struct amqp_link_settings *settings,
                                     int milliseconds, char *text, size_t size) {
  *result = NULL;
  if (amqp_link_load()) {
    say(text, size, problem);
    return amqp_link_connect;
  }
  struct amqp_link *link = calloc(1, sizeof *link);
  if (!link || !(link->state = call_amqp_new_connection())) {
    free(link);
    say(text, size, "no memory for a connection");
    return amqp_link_connect;
  }
  enum amqp_link_status status = connect_link(link, settings, now() + milliseconds, text, size);
  if (status != amqp_link_ok) {
    call_amqp_destroy_connection(link->state);
    free(link);
    return status;
  }
  *result = link;
  return amqp_link_ok;
}

// Takes one frame. Sets `is_confirmed` when it is the confirm of the last message.
static enum amqp_link_status take(struct amqp_link *link, const amqp_frame_t *frame, int *is_returned,
                                  int *is_confirmed, char *text, size_t size) {
  // The content of a message that is returned: the method before it has said so.
  if (frame->frame_type != AMQP_FRAME_METHOD) return amqp_link_ok;
  const amqp_method_t *method = &frame->payload.method;
  switch (method->id) {
    case AMQP_BASIC_RETURN_METHOD:
      *is_returned = 1;
      say_bytes(text, size, ((amqp_basic_return_t *)method->decoded)->reply_text);
      break;
    case AMQP_BASIC_ACK_METHOD: {
      const amqp_basic_ack_t *ack = method->decoded;
      *is_confirmed = ack->delivery_tag == link->published || (ack->multiple && ack->delivery_tag > link->published);
      break;
    }
    case AMQP_BASIC_NACK_METHOD: {
      const amqp_basic_nack_t *nack = method->decoded;
      if (nack->delivery_tag != link->published && !nack->multiple) break;
      say(text, size, "a queue refuses the message: it is full, or has failed");
      return amqp_link_full;
    }
    case AMQP_CONNECTION_BLOCKED_METHOD: link->is_blocked = 1; break;
    case AMQP_CONNECTION_UNBLOCKED_METHOD: link->is_blocked = 0; break;
    case AMQP_CHANNEL_CLOSE_METHOD:
    case AMQP_CONNECTION_CLOSE_METHOD: return closed(link, method, text, size);
    default: break;
  }
  return amqp_link_ok;
}

static enum amqp_link_status wait_for_confirm(struct amqp_link *link, long long deadline, char *text, size_t size) {
  int is_returned = 0, is_confirmed = 0;
  while (!is_confirmed) {
    long long left = deadline - now();
    struct timeval time = span(left);
    amqp_frame_t frame;
    int code = left <= 0 ? AMQP_STATUS_TIMEOUT : call_amqp_simple_wait_frame_noblock(link->state, &frame, &time);
    if (code == AMQP_STATUS_TIMEOUT && link->is_blocked) {
      say(text, size, "the broker takes no messages: it is short of memory or disk space");
      return amqp_link_full;
    }
    if (code != AMQP_STATUS_OK) return library_status(code, text, size);
    enum amqp_link_status status = take(link, &frame, &is_returned, &is_confirmed, text, size);
    if (status != amqp_link_ok) return status;
  }
  call_amqp_maybe_release_buffers(link->state);
  return is_returned ? amqp_link_unroutable : amqp_link_ok;
}

enum amqp_link_status amqp_link_publish(struct amqp_link *link, const struct amqp_link_message *message,
                                        int milliseconds, char *text, size_t size) {
  long long deadline = now() + milliseconds;
  amqp_table_entry_t *entries = calloc(message->header_count + 1, sizeof *entries);
  if (!entries) {
    say(text, size, "no memory for a message");
    return amqp_link_refused;
  }
  for (size_t index = 0; index < message->header_count; index++) {
    entries[index].key = call_amqp_cstring_bytes(message->header_names[index]);
    entries[index].value.kind = AMQP_FIELD_KIND_UTF8;
    entries[index].value.value.bytes = call_amqp_cstring_bytes(message->header_values[index]);
  }
  amqp_basic_properties_t properties = {
      ._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_HEADERS_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG |
                AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_TIMESTAMP_FLAG | AMQP_BASIC_TYPE_FLAG | AMQP_BASIC_APP_ID_FLAG,
      .content_type = call_amqp_cstring_bytes(message->content_type),
      .headers = {.num_entries = (int)message->header_count, .entries = entries},
      .delivery_mode = 2,
      .message_id = call_amqp_cstring_bytes(message->message_id),
      .timestamp = message->timestamp,
      .type = call_amqp_cstring_bytes(message->type),
      .app_id = call_amqp_cstring_bytes("fencepost"),
  };
  amqp_bytes_t body = {.len = message->body_size, .bytes = (void *)message->body};
  struct timeval time = span(milliseconds);
  call_amqp_set_rpc_timeout(link->state, &time);
  link->published += 1;
  int code = call_amqp_basic_publish(link->state, 1, call_amqp_cstring_bytes(message->exchange),
                                     call_amqp_cstring_bytes(message->routing_key), 1, 0, &properties, body);
  free(entries);
  if (code != AMQP_STATUS_OK) return library_status(code, text, size);
  return wait_for_confirm(link, deadline, text, size);
}

void amqp_link_close(struct amqp_link *link) {
  if (!link) return;
  if (!link->is_closed) {
    // A broker that does not answer must not hold up who closes.
    struct timeval time = span(1000);
    call_amqp_set_rpc_timeout(link->state, &time);
    call_amqp_connection_close(link->state, AMQP_REPLY_SUCCESS);
  }
  call_amqp_destroy_connection(link->state);
  free(link);
}
