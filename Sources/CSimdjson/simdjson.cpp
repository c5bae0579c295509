#include "CSimdjson.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include <simdjson.h>

struct fencepost_json_parser {
    simdjson::dom::parser parser;
    std::unique_ptr<uint8_t[]> padded;
    size_t padded_capacity = 0;
    size_t maximum_depth = 0;
};

namespace {

/// Finds how much of the string buffer is used, which simdjson does not keep, and how deep the document is.
bool measure(const uint64_t *tape, size_t count, const uint8_t *strings, size_t &used, size_t &depth) {
    size_t open = 0;
    used = 0;
    depth = 0;
    for (size_t index = 0; index < count; index++) {
        const uint64_t word = tape[index];
        switch (word >> 56) {
            case 'l':
            case 'u':
            case 'd':
                index++;  // the number itself is the next word
                break;
            case '"': {
                const size_t start = word & 0x00FFFFFFFFFFFFFF;
                uint32_t length;
                std::memcpy(&length, strings + start, sizeof length);
                // Strings lie in the order of the tape, so the last one ends the buffer.
                used = start + sizeof length + length + 1;
                break;
            }
            case '[':
            case '{':
                if (++open > depth) depth = open;
                break;
            case ']':
            case '}':
                open--;
                break;
            default:
                break;
        }
    }
    return open == 0;
}

}  // namespace

fencepost_json_parser *fencepost_json_parser_create(void) {
    return new (std::nothrow) fencepost_json_parser();
}

void fencepost_json_parser_destroy(fencepost_json_parser *parser) {
    delete parser;
}

bool fencepost_json_parse(
    fencepost_json_parser *parser, const uint8_t *bytes, size_t count, size_t maximum_depth,
    fencepost_json_tape *tape) {
    const size_t needed = count + simdjson::SIMDJSON_PADDING;
    if (needed > parser->padded_capacity) {
        parser->padded.reset(new (std::nothrow) uint8_t[needed + needed / 2]);
        parser->padded_capacity = parser->padded ? needed + needed / 2 : 0;
        if (!parser->padded) return false;
    }
    if (count > 0) std::memcpy(parser->padded.get(), bytes, count);
    std::memset(parser->padded.get() + count, ' ', simdjson::SIMDJSON_PADDING);
    if (parser->maximum_depth != maximum_depth || parser->parser.capacity() < count) {
        // One level more than wanted: simdjson counts empty containers otherwise than full ones; `measure` decides.
        const size_t capacity = count < 1024 ? 1024 : count + count / 2;
        if (parser->parser.allocate(capacity, maximum_depth + 1) != simdjson::SUCCESS) return false;
        parser->maximum_depth = maximum_depth;
    }
    simdjson::dom::element element;
    if (parser->parser.parse(parser->padded.get(), count, false).get(element) != simdjson::SUCCESS) return false;

    tape->tape = parser->parser.doc.tape.get();
    tape->tape_count = tape->tape[0] & 0x00FFFFFFFFFFFFFF;  // the root says where the tape ends
    tape->strings = parser->parser.doc.string_buf.get();
    size_t depth = 0;
    return measure(tape->tape, tape->tape_count, tape->strings, tape->strings_count, depth)
        && depth <= maximum_depth;
}

size_t fencepost_shortest_decimal(double value, uint8_t *buffer) {
    char *const start = reinterpret_cast<char *>(buffer);
    const double magnitude = std::fabs(value);
    if (magnitude == 0) {
        *buffer = '0';
        return 1;
    }
    const auto format =
        magnitude >= 1e-7 && magnitude < 1e21 ? std::chars_format::fixed : std::chars_format::scientific;
    return static_cast<size_t>(std::to_chars(start, start + 32, value, format).ptr - start);
}

double fencepost_parse_decimal(const uint8_t *bytes, size_t count) {
    const char *start = reinterpret_cast<const char *>(bytes);
    const char *const end = start + count;
    // JSON has no plus sign in front; CSV and XML do.
    if (start != end && *start == '+') start++;
    double value = 0;
    const auto result = std::from_chars(start, end, value);
    if (result.ec != std::errc::result_out_of_range) return value;
    // Too large or too small, which is left to us: the power of ten of the first digit that counts tells.
    const bool negative = *start == '-';
    long power = 0;
    bool fraction = false, significant = false;
    const char *at = negative ? start + 1 : start;
    for (; at != end && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') {
            fraction = true;
        } else {
            significant = significant || *at != '0';
            if (significant && !fraction) power++;
            if (!significant && fraction) power--;
        }
    }
    if (at != end) {
        const bool small = ++at != end && *at == '-';
        if (at != end && (*at == '-' || *at == '+')) at++;
        long exponent = 0;
        for (; at != end && exponent < 1'000'000'000; at++) exponent = exponent * 10 + (*at - '0');
        power += small ? -exponent : exponent;
    }
    if (!significant || power < 0) return negative ? -0.0 : 0.0;
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}
