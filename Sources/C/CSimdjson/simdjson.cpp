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

/// A word of the tape is an ASCII letter and 56 bits of payload.
constexpr uint64_t payload_mask = 0x00FFFFFFFFFFFFFF;

/// Computes the used size of the string buffer, which simdjson does not store, and the depth of the document.
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
                index++;  // the number is in the next word
                break;
            case '"': {
                const size_t start = word & payload_mask;
                uint32_t length;
                std::memcpy(&length, strings + start, sizeof length);
                // Strings are in the order of the tape, so the last one ends the buffer.
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

/// Parses the text with simdjson, after copying it to padded memory unless enough bytes are readable after it.
bool parse(
    fencepost_json_parser *parser, const uint8_t *bytes, size_t count, size_t readable, size_t maximum_depth) {
    const size_t needed = count + simdjson::SIMDJSON_PADDING;
    const uint8_t *text = bytes;
    if (readable < needed) {
        if (needed > parser->padded_capacity) {
            parser->padded.reset(new (std::nothrow) uint8_t[needed + needed / 2]);
            parser->padded_capacity = parser->padded ? needed + needed / 2 : 0;
            if (!parser->padded) return false;
        }
        if (count > 0) std::memcpy(parser->padded.get(), bytes, count);
        std::memset(parser->padded.get() + count, ' ', simdjson::SIMDJSON_PADDING);
        text = parser->padded.get();
    }
    if (parser->maximum_depth != maximum_depth || parser->parser.capacity() < count) {
        // One level more than requested, because simdjson counts empty containers differently; `measure` decides.
        const size_t capacity = count < 1024 ? 1024 : count + count / 2;
        if (parser->parser.allocate(capacity, maximum_depth + 1) != simdjson::SUCCESS) return false;
        parser->maximum_depth = maximum_depth;
    }
    simdjson::dom::element element;
    return parser->parser.parse(text, count, false).get(element) == simdjson::SUCCESS;
}

const uint8_t *string_at(const uint8_t *strings, uint64_t word, uint32_t &length) {
    const uint8_t *const start = strings + (word & payload_mask);
    std::memcpy(&length, start, sizeof length);
    return start + sizeof length;
}

template <size_t N>
bool is(const uint8_t *name, const char (&word)[N]) {
    return std::memcmp(name, word, N - 1) == 0;
}

/// The member with a name, and the index of the name among its aliases; `nullptr` for an unknown name.
fencepost_member *find(fencepost_fix &fix, const uint8_t *name, size_t length, uint8_t &rank) {
    const auto at = [&rank](fencepost_member &member, uint8_t index) {
        rank = index;
        return &member;
    };
    switch (length) {
        case 1:
            if (*name == 't') return at(fix.timestamp, 3);
            break;
        case 3:
            if (is(name, "lat")) return at(fix.latitude, 1);
            if (is(name, "lon")) return at(fix.longitude, 1);
            if (is(name, "lng")) return at(fix.longitude, 2);
            if (is(name, "tst")) return at(fix.timestamp, 2);
            if (is(name, "acc")) return at(fix.horizontal_accuracy, 2);
            if (is(name, "tid")) return at(fix.device, 3);
            break;
        case 4:
            if (is(name, "time")) return at(fix.timestamp, 1);
            break;
        case 5:
            if (is(name, "speed")) return at(fix.speed, 0);
            if (is(name, "floor")) return at(fix.floor, 0);
            break;
        case 6:
            if (is(name, "course")) return at(fix.course, 0);
            if (is(name, "device")) return at(fix.device, 1);
            if (is(name, "source")) return at(fix.source, 0);
            break;
        case 7:
            if (is(name, "trigger")) return at(fix.trigger, 0);
            break;
        case 8:
            if (is(name, "latitude")) return at(fix.latitude, 0);
            if (is(name, "deviceId")) return at(fix.device, 0);
            if (is(name, "accuracy")) return at(fix.horizontal_accuracy, 1);
            if (is(name, "altitude")) return at(fix.altitude, 0);
            break;
        case 9:
            if (is(name, "longitude")) return at(fix.longitude, 0);
            if (is(name, "timestamp")) return at(fix.timestamp, 0);
            if (is(name, "device_id")) return at(fix.device, 2);
            break;
        case 11:
            if (is(name, "isSimulated")) return at(fix.is_simulated, 0);
            break;
        case 12:
            if (is(name, "batteryLevel")) return at(fix.battery_level, 0);
            if (is(name, "batteryState")) return at(fix.battery_state, 0);
            break;
        case 16:
            if (is(name, "verticalAccuracy")) return at(fix.vertical_accuracy, 0);
            break;
        case 18:
            if (is(name, "horizontalAccuracy")) return at(fix.horizontal_accuracy, 0);
            break;
        default:
            break;
    }
    return nullptr;
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
    if (!parse(parser, bytes, count, count, maximum_depth)) return false;
    tape->tape = parser->parser.doc.tape.get();
    tape->tape_count = tape->tape[0] & payload_mask;  // the root word has the length of the tape
    tape->strings = parser->parser.doc.string_buf.get();
    size_t depth = 0;
    return measure(tape->tape, tape->tape_count, tape->strings, tape->strings_count, depth)
        && depth <= maximum_depth;
}

int fencepost_fix_parse(
    fencepost_json_parser *parser, const uint8_t *line, size_t length, size_t readable, fencepost_fix *fix) {
    std::memset(fix, 0, sizeof *fix);
    // The depth differs by one from `fencepost_json_parse`, which has no effect, because nested values are skipped.
    if (!parse(parser, line, length, readable, 64)) return FENCEPOST_FIX_REFUSED;
    const uint64_t *const tape = parser->parser.doc.tape.get();
    const uint8_t *const strings = parser->parser.doc.string_buf.get();
    if (tape[1] >> 56 != '{') return FENCEPOST_FIX_NO_OBJECT;
    const size_t end = (tape[1] & 0xFFFFFFFF) - 1;
    size_t index = 2;
    // One bit for each name of each member: four names at most.
    uint64_t seen = 0;
    static_assert(sizeof(fencepost_fix) / sizeof(fencepost_member) * 4 <= 64, "a bit for every name");
    while (index < end) {
        uint32_t name_length;
        const uint8_t *const name = string_at(strings, tape[index], name_length);
        uint8_t rank = 0;
        fencepost_member *const member = find(*fix, name, name_length, rank);
        if (member) {
            const auto number = static_cast<uint64_t>(member - &fix->device) * 4 + rank;
            if (seen >> number & 1) return FENCEPOST_FIX_REFUSED;
            seen |= uint64_t{1} << number;
        }
        index++;
        const uint64_t word = tape[index];
        fencepost_member value = {0, nullptr, 0, FENCEPOST_ABSENT, rank};
        size_t next = index + 1;
        switch (word >> 56) {
            case 'l':
                value.kind = FENCEPOST_NUMBER;
                value.number = static_cast<double>(static_cast<int64_t>(tape[index + 1]));
                next++;
                break;
            case 'u':
                value.kind = FENCEPOST_NUMBER;
                value.number = static_cast<double>(tape[index + 1]);
                next++;
                break;
            case 'd':
                value.kind = FENCEPOST_NUMBER;
                std::memcpy(&value.number, &tape[index + 1], sizeof value.number);
                next++;
                break;
            case '"':
                value.kind = FENCEPOST_STRING;
                value.bytes = string_at(strings, word, value.length);
                break;
            case 't':
                value.kind = FENCEPOST_TRUE;
                break;
            case 'f':
                value.kind = FENCEPOST_FALSE;
                break;
            case '{':
            case '[':
                value.kind = FENCEPOST_CONTAINER;
                next = word & 0xFFFFFFFF;
                break;
            default:
                break;  // null
        }
        index = next;
        // The name that is first in the list of aliases wins.
        if (member && value.kind != FENCEPOST_ABSENT && (member->kind == FENCEPOST_ABSENT || rank <= member->rank)) {
            *member = value;
        }
    }
    return FENCEPOST_FIX_READ;
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
    // JSON has no leading plus sign; CSV and XML do.
    if (start != end && *start == '+') start++;
    double value = 0;
    const auto result = std::from_chars(start, end, value);
    if (result.ec != std::errc::result_out_of_range) return value;
    // Too large or too small: the power of ten of the first significant digit decides.
    const bool negative = *start == '-';
    long power = 0;
    bool fraction = false, significant = false;
    const char *cursor = negative ? start + 1 : start;
    for (; cursor != end && *cursor != 'e' && *cursor != 'E'; cursor++) {
        if (*cursor == '.') {
            fraction = true;
        } else {
            significant = significant || *cursor != '0';
            if (significant && !fraction) power++;
            if (!significant && fraction) power--;
        }
    }
    if (cursor != end) {
        const bool small = ++cursor != end && *cursor == '-';
        if (cursor != end && (*cursor == '-' || *cursor == '+')) cursor++;
        long exponent = 0;
        for (; cursor != end && exponent < 1'000'000'000; cursor++) exponent = exponent * 10 + (*cursor - '0');
        power += small ? -exponent : exponent;
    }
    if (!significant || power < 0) return negative ? -0.0 : 0.0;
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}
