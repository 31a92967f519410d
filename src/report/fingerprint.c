/* What stays the same of a finding when other code changes, so that a finding can be followed from
 * one commit to the next. */
#include "report/report.h"
#include "support/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- counts ---------------------------------------------------------------------------------- */

uint32_t ptx_hash_counts_add(HashMap *counts, uint64_t hash)
{
    /* the largest is no key of a map */
    uint32_t *count = ptx_hash_map_at(counts, NULL, hash == UINT64_MAX ? 0 : hash);
    return count ? ++*count : 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* github/codeql-action, src/fingerprints.ts: h = 37 h + c over a window of 100 units. Blanks and
 * tabs are skipped, all line ends are LF, 65535 stands behind the text and then zeros. A line's
 * hash is that of the window that begins with its first unit. */
enum {
    WINDOW = 100,
    FACTOR = 37,
    END_OF_FILE = 65535,
    /* beyond these no hashes are made: GitHub's action makes them itself where they are missing */
    HASHED_BYTES = 64 << 20,
    HASHED_LINES = 4 << 20
};

typedef struct Roller {
    LineHashes *out;
    uint32_t room;              /* lines that out has space for */
    HashMap counts;
    uint64_t hash, oldest_factor;       /* FACTOR to the power of WINDOW */
    uint16_t units[WINDOW];
    uint32_t lines[WINDOW];     /* that begin with the unit; 0: none does */
    unsigned at;                /* the oldest unit */
    uint32_t line;
    bool is_line_begin, is_after_cr;
    bool is_failed;
} Roller;

static void roller_emit(Roller *roller)
{
    uint32_t line = roller->lines[roller->at];
    roller->lines[roller->at] = 0;
    if (!line || line > roller->room || roller->is_failed)
        return;
    uint32_t ordinal = ptx_hash_counts_add(&roller->counts, roller->hash);
    roller->is_failed = !ordinal;
    roller->out->lines[line - 1] = (LineHash){ roller->hash, ordinal };
    roller->out->count = line;
}

static void roller_shift(Roller *roller, uint16_t unit)
{
    roller->hash = FACTOR * roller->hash + unit - roller->oldest_factor * roller->units[roller->at];
    roller->units[roller->at] = unit;
    roller->at = (roller->at + 1) % WINDOW;
}

static void roller_take(Roller *roller, uint16_t unit)
{
    bool is_skipped = unit == ' ' || unit == '\t' || (unit == '\n' && roller->is_after_cr);
    roller->is_after_cr = unit == '\r';
    if (is_skipped)
        return;
    if (unit == '\r')
        unit = '\n';
    roller_emit(roller);
    if (roller->is_line_begin)
        roller->lines[roller->at] = ++roller->line;
    roller->is_line_begin = unit == '\n';
    roller_shift(roller, unit);
}

static void roller_flush(Roller *roller)
{
    roller_take(roller, END_OF_FILE);
    for (int i = 0; i < WINDOW; i++) {
        roller_emit(roller);
        roller_shift(roller, 0);
    }
}

/* How many continuation bytes a lead byte has, and what the first of them may be (Unicode, table
 * 3-7); 0: it leads nothing. */
static unsigned lead_shape(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 1;
    if (lead >= 0xE0 && lead <= 0xEF) {
        *low = lead == 0xE0 ? 0xA0 : 0x80;      /* shorter forms exist of what is below */
        *high = lead == 0xED ? 0x9F : 0xBF;     /* surrogates */
        return 2;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        *low = lead == 0xF0 ? 0x90 : 0x80;
        *high = lead == 0xF4 ? 0x8F : 0xBF;     /* up to U+10FFFF */
        return 3;
    }
    return 0;
}

/* One code point, or U+FFFD for as many bytes as begin one, as browsers and Node decode. Returns
 * its bytes. */
static size_t decode_utf8(const unsigned char *text, size_t left, uint32_t *codepoint)
{
    unsigned char low, high;
    unsigned more = lead_shape(text[0], &low, &high);
    *codepoint = text[0] < 0x80 ? text[0] : 0xFFFD;
    if (!more)
        return 1;
    uint32_t value = text[0] & (0x3Fu >> more);
    for (unsigned i = 1; i <= more; i++) {
        if (i >= left || text[i] < low || text[i] > high)
            return i;
        value = value << 6 | (text[i] & 0x3F);
        low = 0x80;
        high = 0xBF;
    }
    *codepoint = value;
    return more + 1;
}

static void roller_take_all(Roller *roller, const unsigned char *text, size_t left)
{
    while (left && !roller->is_failed) {
        uint32_t codepoint;
        size_t bytes = decode_utf8(text, left, &codepoint);
        if (codepoint > 0xFFFF) {
            roller_take(roller, (uint16_t)(0xD7C0 + (codepoint >> 10)));
            roller_take(roller, (uint16_t)(0xDC00 + (codepoint & 0x3FF)));
        } else {
            roller_take(roller, (uint16_t)codepoint);
        }
        text += bytes;
        left -= bytes;
    }
}

/* At least as many lines as the text has, by any count. */
static size_t count_lines(const char *text, size_t length)
{
    size_t count = 1;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n' || text[i] == '\r';
    return count;
}

ptxlint_status ptx_line_hashes_build(LineHashes *hashes, const char *text, size_t length)
{
    *hashes = (LineHashes){ .is_built = true };
    size_t line_count = length <= HASHED_BYTES ? count_lines(text, length) : SIZE_MAX;
    if (line_count > HASHED_LINES)
        return PTXLINT_OK;
    hashes->lines = calloc(line_count, sizeof *hashes->lines);
    if (!hashes->lines)
        return PTXLINT_NO_MEMORY;
    Roller roller = {
        .out = hashes, .room = (uint32_t)line_count, .oldest_factor = 1, .is_line_begin = true
    };
    for (int i = 0; i < WINDOW; i++)
        roller.oldest_factor *= FACTOR;
    roller_take_all(&roller, (const unsigned char *)text, length);
    roller_flush(&roller);
    ptx_hash_map_free(&roller.counts);
    return roller.is_failed ? PTXLINT_NO_MEMORY : PTXLINT_OK;
}

Fingerprint ptx_line_hashes_find(const LineHashes *hashes, uint32_t line)
{
    Fingerprint fingerprint = { "" };
    if (line == 0 || line > hashes->count)
        return fingerprint;
    const LineHash *found = &hashes->lines[line - 1];
    snprintf(fingerprint.text, sizeof fingerprint.text, "%" PRIx64 ":%" PRIu32, found->hash,
             found->ordinal);
    return fingerprint;
}

/* ---- findings -------------------------------------------------------------------------------- */

/* FNV-1a, 64 bits (Fowler, Noll, Vo). */
static uint64_t hash_fnv(uint64_t hash, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

uint64_t ptx_finding_hash(const ptxlint_module *module, const ptxlint_diagnostic *diagnostic)
{
    char statement[STATEMENT_BYTES];
    const char *kernel = diagnostic->kernel ? diagnostic->kernel : "";
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    hash = hash_fnv(hash, diagnostic->rule, strlen(diagnostic->rule) + 1);
    hash = hash_fnv(hash, kernel, strlen(kernel) + 1);
    ptxlint_module_statement(module, diagnostic->span.begin, statement, sizeof statement);
    return hash_fnv(hash, statement, strlen(statement));
}
