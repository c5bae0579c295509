// A connection to a broker of AMQP 0-9-1 that publishes with confirms, over librabbitmq, which is loaded at the first use.
#ifndef FENCEPOST_RABBITMQ_H
#define FENCEPOST_RABBITMQ_H

#include <stddef.h>
#include <stdint.h>

// The Debian package of the library.
extern const char *const amqp_link_package;

// Loads the library. Returns NULL, or the text of the loader.
const char *amqp_link_load(void);

enum amqp_link_status {
  amqp_link_ok,
  amqp_link_connect,
  amqp_link_tls,
  amqp_link_login,
  amqp_link_timeout,
  amqp_link_lost,
  // No queue takes the message, or its exchange does not exist.
  amqp_link_unroutable,
  // A queue refuses it, or the broker takes no messages at all for want of memory or disk space.
  amqp_link_full,
  amqp_link_size,
  amqp_link_refused
};

struct amqp_link;

// Where and as whom to connect.
struct amqp_link_settings {
  const char *address;      // an IP address
  int port;
  const char *tls_name;     // the name in the certificate; NULL for no TLS
  const char *authorities;  // a PEM file that is trusted besides the system's; NULL for none
  const char *host;         // the virtual host
  const char *username;
  const char *password;
};

// Connects, opens a channel and has the broker confirm what is published. The text says what failed.
enum amqp_link_status amqp_link_open(struct amqp_link **link, const struct amqp_link_settings *settings,
                                     int milliseconds, char *text, size_t size);

// A persistent message.
struct amqp_link_message {
  const char *exchange;
  const char *routing_key;
  const char *message_id;
  const char *type;
  const char *content_type;
  uint64_t timestamp;  // seconds since 1970
  const char *body;
  size_t body_size;
  size_t header_count;
  const char *const *header_names;
  const char *const *header_values;
};

// Publishes a message and waits until the broker has confirmed it. It has to be routed to a queue.
enum amqp_link_status amqp_link_publish(struct amqp_link *link, const struct amqp_link_message *message,
                                        int milliseconds, char *text, size_t size);

// Closes the connection.
void amqp_link_close(struct amqp_link *link);

#endif
