#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// A simdjson DOM parser with its buffers, kept between documents.
typedef struct fencepost_json_parser fencepost_json_parser;

/// What a parse made; the pointers belong to the parser and hold until its next call.
typedef struct {
    /// simdjson's tape: `doc/tape.md` of simdjson 3.0 says what is in it.
    const uint64_t *_Nullable tape;
    size_t tape_count;
    /// Every string: four bytes of length (little endian), the bytes, a zero.
    const uint8_t *_Nullable strings;
    size_t strings_count;
} fencepost_json_tape;

/// `NULL` when there is no memory.
fencepost_json_parser *_Nullable fencepost_json_parser_create(void);
void fencepost_json_parser_destroy(fencepost_json_parser *parser);

/// Parses one document, copied first to a buffer with the padding that simdjson wants.
///
/// Returns false when it is not a document, is nested deeper than `maximum_depth`, or holds an integer beyond 64 bits.
bool fencepost_json_parse(
    fencepost_json_parser *parser, const uint8_t *_Nullable bytes, size_t count, size_t maximum_depth,
    fencepost_json_tape *tape);

/// The shortest decimal that reads back as the same finite number, without an exponent from 1e-7 up to 1e21.
/// Writes at most 32 bytes and returns how many.
size_t fencepost_shortest_decimal(double value, uint8_t *buffer);

/// The number that a decimal of JSON's grammar says, rounded correctly; infinite when it is beyond Double.
double fencepost_parse_decimal(const uint8_t *bytes, size_t count);

/// What a member of a location is in its JSON.
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
    /// Of a number.
    double number;
    /// Of a string, in UTF-8; the parser's, and valid until its next call.
    const uint8_t *_Nullable bytes;
    uint32_t length;
    uint8_t kind;
    /// Which of its names it came by, 0 the canonical one.
    uint8_t rank;
} fencepost_member;

/// The members of a location in Fencepost's own shape, whichever of their names they came by.
typedef struct {
    fencepost_member device, timestamp, latitude, longitude, horizontal_accuracy, altitude, vertical_accuracy, speed,
        course, floor, battery_level, battery_state, is_simulated, source, trigger;
} fencepost_fix;

enum {
    FENCEPOST_FIX_READ = 0,
    /// JSON, and no object.
    FENCEPOST_FIX_NO_OBJECT,
    /// No JSON, or with an integer beyond 64 bits, or deeper than 64.
    FENCEPOST_FIX_REFUSED,
};

/// Reads one line of NDJSON. Bytes after the line, up to `readable` in all, may be looked at and count for nothing.
int fencepost_fix_parse(
    fencepost_json_parser *parser, const uint8_t *line, size_t length, size_t readable, fencepost_fix *fix);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
#endif
