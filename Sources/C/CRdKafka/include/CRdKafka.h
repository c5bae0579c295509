// A producer of Kafka that waits for the answer to each message, over librdkafka, which is loaded at the first use.
#ifndef FENCEPOST_RDKAFKA_H
#define FENCEPOST_RDKAFKA_H

#include <stddef.h>
#include <sys/socket.h>

// The Debian package of the library.
extern const char *const kafka_link_package;

// Loads the library. Returns NULL, or the text of the loader.
const char *kafka_link_load(void);

enum kafka_link_status {
  kafka_link_ok,
  kafka_link_connect,
  kafka_link_tls,
  kafka_link_login,
  kafka_link_timeout,
  kafka_link_lost,
  kafka_link_unroutable,
  kafka_link_full,
  kafka_link_size,
  kafka_link_refused,
  // A broker of the cluster has an address to which messages may not be sent.
  kafka_link_blocked
};

struct kafka_link;

// Whether a connection to an address is permitted. Called on the library's threads.
typedef int (*kafka_link_permits)(const struct sockaddr *address, void *context);

// Settings of the library as pairs of names and values.
struct kafka_link_settings {
  size_t count;
  const char *const *names;
  const char *const *values;
  kafka_link_permits permits;
  void *context;  // has to live as long as the producer
};

// Makes a producer. It connects while it publishes.
enum kafka_link_status kafka_link_open(struct kafka_link **link, const struct kafka_link_settings *settings, char *text,
                                       size_t size);

// A message; a key of NULL lets the library choose a partition.
struct kafka_link_message {
  const char *topic;
  const char *key;
  const char *body;
  size_t body_size;
  long long timestamp;  // milliseconds since 1970
  size_t header_count;
  const char *const *header_names;
  const char *const *header_values;
};

// Publishes a message and waits until the cluster has stored it. A message that has failed is not sent later.
enum kafka_link_status kafka_link_publish(struct kafka_link *link, const struct kafka_link_message *message,
                                          int milliseconds, char *text, size_t size);

// Ends the producer.
void kafka_link_close(struct kafka_link *link);

#endif
