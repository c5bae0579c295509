#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// A simdjson DOM parser with its buffers, which are reused between documents.
typedef struct fencepost_json_parser fencepost_json_parser;

/// The result of a parse. The parser owns the memory; it is valid until the next call.
typedef struct {
    /// simdjson's tape, in the format of `doc/tape.md` of simdjson 3.0.
    const uint64_t *_Nullable tape;
    size_t tape_count;
    /// All strings, each as four bytes of length (little endian), the bytes and a zero.
    const uint8_t *_Nullable strings;
    size_t strings_count;
} fencepost_json_tape;

/// Returns `NULL` if there is no memory.
fencepost_json_parser *_Nullable fencepost_json_parser_create(void);
void fencepost_json_parser_destroy(fencepost_json_parser *parser);

/// Parses one document, after copying it to a buffer with the padding that simdjson needs.
///
/// Returns false if it is not valid, is nested deeper than `maximum_depth`, or contains an integer beyond 64 bits.
bool fencepost_json_parse(
    fencepost_json_parser *parser, const uint8_t *_Nullable bytes, size_t count, size_t maximum_depth,
    fencepost_json_tape *tape);

/// The shortest decimal that reads back as the same finite number, without an exponent from 1e-7 up to 1e21.
/// Writes at most 32 bytes and returns their number.
size_t fencepost_shortest_decimal(double value, uint8_t *buffer);

/// The value of a decimal in JSON's grammar, correctly rounded; infinite if it exceeds Double.
double fencepost_parse_decimal(const uint8_t *bytes, size_t count);

/// The JSON type of a member of a location.
enum {
    FENCEPOST_ABSENT = 0,
    FENCEPOST_NUMBER,
    FENCEPOST_STRING,
    FENCEPOST_TRUE,
    FENCEPOST_FALSE,
    FENCEPOST_CONTAINER,
};

/// One member of a location; `null` counts as absent.
typedef struct {
    /// The value of a number.
    double number;
    /// The UTF-8 bytes of a string; owned by the parser and valid until its next call.
    const uint8_t *_Nullable bytes;
    uint32_t length;
    uint8_t kind;
    /// The index of the name that was used, 0 for the canonical one.
    uint8_t rank;
} fencepost_member;

/// The members of a location in Fencepost's own format, under any of their names.
typedef struct {
    fencepost_member device, timestamp, latitude, longitude, horizontal_accuracy, altitude, vertical_accuracy, speed,
        course, floor, battery_level, battery_state, is_simulated, source, trigger;
} fencepost_fix;

enum {
    FENCEPOST_FIX_READ = 0,
    /// JSON, but not an object.
    FENCEPOST_FIX_NO_OBJECT,
    /// Not JSON, or with an integer beyond 64 bits, or nested deeper than 64, or with one member's name twice.
    FENCEPOST_FIX_REFUSED,
};

/// Parses one line of NDJSON. It may read bytes after the line, up to `readable` in all, but ignores them.
int fencepost_fix_parse(
    fencepost_json_parser *parser, const uint8_t *line, size_t length, size_t readable, fencepost_fix *fix);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
#endif
