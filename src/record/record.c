/* record.c -- a library for LD_PRELOAD: hears the launches of a program at the CUDA driver and
 * appends each distinct one, a line of JSON, to the file that PTXLINT_RECORD names; at the end of
 * the program once more, with how often it was made. `ptxlint launch record` starts it and makes a
 * launch file of the lines.
 *
 * The driver is heard where programs find it: dlsym and cuGetProcAddress, as the runtime and Triton
 * use them, and functions of its name for programs that are linked to it. No header of CUDA is
 * needed: what is used of its interface is declared here, as of the CUDA Driver API reference. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_API __attribute__((visibility("default")))

typedef struct LaunchConfig {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    const struct LaunchAttribute {
        int id; /* 4: the cluster */
        char padding[4];
        union {
            unsigned cluster[3];
            char room[64];
        } value;
    } *attributes;
    unsigned attribute_count;
} LaunchConfig;

typedef int LaunchFunction(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                           unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
                           void **extra);
typedef int CooperativeFunction(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                unsigned by, unsigned bz, unsigned shared, void *stream,
                                void **params);
typedef int LaunchExFunction(const LaunchConfig *config, void *function, void **params,
                             void **extra);
typedef int ProcAddressFunction(const char *symbol, void **out, int version, uint64_t flags,
                                void *status);

/* A launch as its parts are given to any of the driver's functions. */
typedef struct RecordedLaunch {
    void *function;
    unsigned grid[3], block[3], cluster[3], shared_bytes;
    void **params, **extra;
} RecordedLaunch;

enum {
    ATTRIBUTE_CLUSTER = 4,
    PER_THREAD_STREAM = 2,
    ERROR_NOT_FOUND = 500, /* CUDA_ERROR_NOT_FOUND */
    V2_VERSION = 12000,    /* from which cuGetProcAddress takes a status */
    LINES_MAX = 4096,      /* distinct launches of a process */
    PARAMS_MAX = 4096
};

/* Text of one line. */
typedef struct RecordLine {
    char *bytes;
    size_t length, capacity;
    bool has_failed;
} RecordLine;

/* A line that is written, and how often its launch was made. */
typedef struct Written {
    char *line;
    uint64_t hash, count;
} Written;

static struct Record {
    pthread_mutex_t lock;
    Written *lines;
    size_t count, capacity;
} record = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the driver ------------------------------------------------------------------------------ */

typedef void *SymbolFunction(void *handle, const char *name);

/* glibc's own, behind ours. */
static SymbolFunction *find_dlsym(void)
{
    static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17" };
    static SymbolFunction *found;
    for (size_t i = 0; !found && i < sizeof versions / sizeof *versions; i++)
        found = (SymbolFunction *)(uintptr_t)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return found;
}

/* A function of the driver, once a program has loaded it. */
static void *find_driver(const char *name)
{
    SymbolFunction *real = find_dlsym();
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return real && library ? real(library, name) : NULL;
}

static const char *kernel_name_of(void *function)
{
    typedef int NameFunction(const char **name, void *function);
    static const char *const names[] = { "cuFuncGetName", "cuKernelGetName" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = NULL;
        NameFunction *get = (NameFunction *)(uintptr_t)find_driver(names[i]);
        if (get && get(&name, function) == 0 && name)
            return name;
    }
    return NULL;
}

static bool read_param_place(void *function, size_t index, size_t *offset, size_t *size)
{
    typedef int ParamFunction(void *function, size_t index, size_t *offset, size_t *size);
    static const char *const names[] = { "cuFuncGetParamInfo", "cuKernelGetParamInfo" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ParamFunction *get = (ParamFunction *)(uintptr_t)find_driver(names[i]);
        if (get && get(function, index, offset, size) == 0)
            return true;
    }
    return false;
}

/* Bytes from address to the end of the allocation that it points into; 0: into none. */
static uint64_t find_allocated(uint64_t address)
{
    typedef int AttributeFunction(void *out, int attribute, uint64_t address);
    enum { RANGE_BEGIN = 11, RANGE_BYTES = 12 };
    AttributeFunction *get = (AttributeFunction *)(uintptr_t)find_driver("cuPointerGetAttribute");
    uint64_t begin = 0, bytes = 0;
    if (!address || !get || get(&begin, RANGE_BEGIN, address) != 0
        || get(&bytes, RANGE_BYTES, address) != 0)
        return 0;
    return address >= begin && address - begin < bytes ? begin + bytes - address : 0;
}

/* ---- a line ---------------------------------------------------------------------------------- */

static void put_record(RecordLine *line, const char *text)
{
    size_t length = strlen(text), needed = line->length + length + 1;
    if (needed > line->capacity) {
        char *grown = realloc(line->bytes, 2 * needed);
        if (!grown) {
            line->has_failed = true;
            return;
        }
        line->bytes = grown;
        line->capacity = 2 * needed;
    }
    memcpy(line->bytes + line->length, text, length + 1);
    line->length += length;
}

static void put_kernel_name(RecordLine *line, const char *name)
{
    for (; *name; name++) {
        char piece[8];
        unsigned char c = (unsigned char)*name;
        snprintf(piece, sizeof piece, c < 0x20 || c == '"' || c == '\\' ? "\\u%04x" : "%c", c);
        put_record(line, piece);
    }
}

static void put_record_extents(RecordLine *line, const char *key, const unsigned extents[3])
{
    char text[96];
    snprintf(text, sizeof text, ",\"%s\":[%u,%u,%u]", key, extents[0], extents[1], extents[2]);
    put_record(line, text);
}

static void put_hex(RecordLine *line, const unsigned char *bytes, size_t size)
{
    put_record(line, "{\"bytes\":\"");
    for (size_t i = 0; i < size; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", bytes[i]);
        put_record(line, digits);
    }
    put_record(line, "\"}");
}

/* A pointer is known by where it points; one that no allocator returned keeps its value. */
static void put_param_value(RecordLine *line, const unsigned char *bytes, size_t size)
{
    enum { ALIGNMENT = 256 };
    uint64_t address = 0, allocated = 0;
    char text[64];
    if (size == sizeof address) {
        memcpy(&address, bytes, sizeof address);
        allocated = find_allocated(address);
    }
    if (!allocated || address % ALIGNMENT) {
        put_hex(line, bytes, size);
        return;
    }
    snprintf(text, sizeof text, "{\"allocated\":%llu}", (unsigned long long)allocated);
    put_record(line, text);
}

/* The buffer of "extra": pairs of a number and a value, up to 0; 1: where it is. */
static const unsigned char *find_buffer(void **extra)
{
    for (; extra && extra[0]; extra += 2)
        if ((uintptr_t)extra[0] == 1)
            return extra[1];
    return NULL;
}

static void put_param_values(RecordLine *line, const RecordedLaunch *launch)
{
    const unsigned char *buffer = launch->params ? NULL : find_buffer(launch->extra);
    void *const function = launch->function;
    size_t offset, size;
    put_record(line, ",\"params\":[");
    for (size_t i = 0; i < PARAMS_MAX && read_param_place(function, i, &offset, &size); i++) {
        const unsigned char *bytes = launch->params ? launch->params[i] : buffer + offset;
        put_record(line, i ? "," : "");
        if (bytes && (launch->params || buffer))
            put_param_value(line, bytes, size);
        else
            put_record(line, "null");
    }
    put_record(line, "]");
}

static void put_record_launch(RecordLine *line, const RecordedLaunch *launch, const char *name)
{
    char text[48];
    put_record(line, "{\"kernel\":\"");
    put_kernel_name(line, name);
    put_record(line, "\"");
    put_record_extents(line, "grid", launch->grid);
    put_record_extents(line, "block", launch->block);
    if (launch->cluster[0])
        put_record_extents(line, "cluster", launch->cluster);
    snprintf(text, sizeof text, ",\"dynamic_shared\":%u", launch->shared_bytes);
    put_record(line, text);
    put_param_values(line, launch);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* One write: lines of several processes do not mix. */
static void append_to_file(const char *line, uint64_t count)
{
    const char *path = getenv("PTXLINT_RECORD");
    RecordLine whole = { 0 };
    char end[48];
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    snprintf(end, sizeof end, ",\"count\":%llu}\n", (unsigned long long)count);
    put_record(&whole, line);
    put_record(&whole, end);
    if (file >= 0 && !whole.has_failed && write(file, whole.bytes, whole.length) < 0)
        fputs("ptxlint: a launch could not be recorded\n", stderr);
    if (file >= 0)
        close(file);
    free(whole.bytes);
}

static bool grow_lines(void)
{
    size_t capacity = record.capacity ? 2 * record.capacity : 64;
    Written *grown = record.count < record.capacity
                         ? record.lines
                         : realloc(record.lines, capacity * sizeof *grown);
    if (grown && record.count == record.capacity)
        record.capacity = capacity;
    record.lines = grown ? grown : record.lines;
    return grown;
}

/* FNV-1a. */
static uint64_t hash_line(const char *line)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *line; line++)
        hash = (hash ^ (unsigned char)*line) * UINT64_C(1099511628211);
    return hash;
}

/* Takes the line. */
static void note_line(char *line)
{
    uint64_t hash = hash_line(line);
    size_t i = 0;
    while (i < record.count
           && (record.lines[i].hash != hash || strcmp(record.lines[i].line, line) != 0))
        i++;
    if (i < record.count) {
        record.lines[i].count++;
        free(line);
    } else if (record.count < LINES_MAX && grow_lines()) {
        record.lines[record.count++] = (Written){ line, hash, 1 };
        append_to_file(line, 0);
    } else {
        free(line);
    }
}

static void note_launch(const RecordedLaunch *launch)
{
    const char *name = getenv("PTXLINT_RECORD") ? kernel_name_of(launch->function) : NULL;
    RecordLine line = { 0 };
    if (!name)
        return;
    put_record_launch(&line, launch, name);
    if (line.has_failed) {
        free(line.bytes);
        return;
    }
    pthread_mutex_lock(&record.lock);
    note_line(line.bytes);
    pthread_mutex_unlock(&record.lock);
}

/* How often each was made; a child of fork has what its parent had, too. */
static void write_counts(void) __attribute__((destructor));
static void begin_record(void) __attribute__((constructor));

static void write_counts(void)
{
    for (size_t i = 0; i < record.count; i++)
        append_to_file(record.lines[i].line, record.lines[i].count);
}

static void lock_lines(void)
{
    pthread_mutex_lock(&record.lock);
}

static void unlock_lines(void)
{
    pthread_mutex_unlock(&record.lock);
}

static void forget_lines(void)
{
    unlock_lines();
    for (size_t i = 0; i < record.count; i++)
        free(record.lines[i].line);
    record.count = 0;
}

static void begin_record(void)
{
    pthread_atfork(lock_lines, unlock_lines, forget_lines);
}

/* ---- the driver's functions ------------------------------------------------------------------ */

/* Each twice: for the legacy default stream, and for one a thread. */
static void *real_launch[2], *real_cooperative[2], *real_launch_ex[2];

static void note_plain(void *function, const unsigned shape[7], void **params, void **extra)
{
    RecordedLaunch launch = { .function = function, .shared_bytes = shape[6], .params = params,
                              .extra = extra };
    memcpy(launch.grid, shape, sizeof launch.grid);
    memcpy(launch.block, shape + 3, sizeof launch.block);
    note_launch(&launch);
}

static void note_config(const LaunchConfig *config, void *function, void **params, void **extra)
{
    RecordedLaunch launch = { .function = function, .params = params, .extra = extra };
    if (!config)
        return;
    memcpy(launch.grid, config->grid, sizeof launch.grid);
    memcpy(launch.block, config->block, sizeof launch.block);
    launch.shared_bytes = config->shared_bytes;
    for (unsigned i = 0; config->attributes && i < config->attribute_count; i++)
        if (config->attributes[i].id == ATTRIBUTE_CLUSTER)
            memcpy(launch.cluster, config->attributes[i].value.cluster, sizeof launch.cluster);
    note_launch(&launch);
}

/* The real one; where it was not asked for by dlsym, the program is linked to it. */
static void *real_of(void **slot, const char *name)
{
    if (!*slot)
        *slot = find_driver(name);
    return *slot;
}

#define DEFINE_LAUNCH(symbol, slot)                                                              \
    RECORD_API LaunchFunction symbol;                                                            \
    int symbol(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,  \
               unsigned bz, unsigned shared, void *stream, void **params, void **extra)          \
    {                                                                                            \
        LaunchFunction *real = (LaunchFunction *)(uintptr_t)real_of(&real_launch[slot], #symbol); \
        note_plain(function, (const unsigned[]){ gx, gy, gz, bx, by, bz, shared }, params,       \
                   extra);                                                                       \
        return real ? real(function, gx, gy, gz, bx, by, bz, shared, stream, params, extra)      \
                    : ERROR_NOT_FOUND;                                                           \
    }

#define DEFINE_COOPERATIVE(symbol, slot)                                                         \
    RECORD_API CooperativeFunction symbol;                                                       \
    int symbol(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,  \
               unsigned bz, unsigned shared, void *stream, void **params)                        \
    {                                                                                            \
        CooperativeFunction *real =                                                              \
            (CooperativeFunction *)(uintptr_t)real_of(&real_cooperative[slot], #symbol);         \
        note_plain(function, (const unsigned[]){ gx, gy, gz, bx, by, bz, shared }, params,       \
                   NULL);                                                                        \
        return real ? real(function, gx, gy, gz, bx, by, bz, shared, stream, params)             \
                    : ERROR_NOT_FOUND;                                                           \
    }

#define DEFINE_LAUNCH_EX(symbol, slot)                                                           \
    RECORD_API LaunchExFunction symbol;                                                          \
    int symbol(const LaunchConfig *config, void *function, void **params, void **extra)          \
    {                                                                                            \
        LaunchExFunction *real =                                                                 \
            (LaunchExFunction *)(uintptr_t)real_of(&real_launch_ex[slot], #symbol);              \
        note_config(config, function, params, extra);                                            \
        return real ? real(config, function, params, extra) : ERROR_NOT_FOUND;                   \
    }

DEFINE_LAUNCH(cuLaunchKernel, 0)
DEFINE_LAUNCH(cuLaunchKernel_ptsz, 1)
DEFINE_COOPERATIVE(cuLaunchCooperativeKernel, 0)
DEFINE_COOPERATIVE(cuLaunchCooperativeKernel_ptsz, 1)
DEFINE_LAUNCH_EX(cuLaunchKernelEx, 0)
DEFINE_LAUNCH_EX(cuLaunchKernelEx_ptsz, 1)

/* ---- how programs find them ------------------------------------------------------------------ */

#define OURS(symbol) { (void *)(uintptr_t)symbol, (void *)(uintptr_t)symbol##_ptsz }

static const struct Heard {
    const char *name; /* as cuGetProcAddress takes it */
    void **slots;     /* of the real one */
    void *ours[2];
} heard[] = {
    { "cuLaunchKernel", real_launch, OURS(cuLaunchKernel) },
    { "cuLaunchCooperativeKernel", real_cooperative, OURS(cuLaunchCooperativeKernel) },
    { "cuLaunchKernelEx", real_launch_ex, OURS(cuLaunchKernelEx) },
};

/* Ours for that symbol, which keeps the real one; real where there is none. */
static void *hear(const char *symbol, void *real, bool is_per_thread)
{
    size_t length = strlen(symbol), tail = strlen("_ptsz");
    bool has_tail = length > tail && !strcmp(symbol + length - tail, "_ptsz");
    length -= has_tail ? tail : 0;
    int slot = has_tail || is_per_thread;
    for (size_t i = 0; real && i < sizeof heard / sizeof *heard; i++) {
        const struct Heard *one = &heard[i];
        if (strlen(one->name) != length || memcmp(one->name, symbol, length) != 0)
            continue;
        if (real != one->ours[0] && real != one->ours[1])
            one->slots[slot] = real;
        return one->ours[slot];
    }
    return real;
}

/* Of version 12000 and later; before, without a place for the status. */
static void *real_address_v2, *real_address;

static int get_address_v2(const char *symbol, void **out, int version, uint64_t flags, void *status)
{
    ProcAddressFunction *real = (ProcAddressFunction *)(uintptr_t)real_address_v2;
    int error = real(symbol, out, version, flags, status);
    if (!error && out && symbol && !strncmp(symbol, "cuGetProcAddress", 16)) {
        real_address_v2 = *out;
        *out = (void *)(uintptr_t)get_address_v2;
    } else if (!error && out && symbol) {
        *out = hear(symbol, *out, flags & PER_THREAD_STREAM);
    }
    return error;
}

static int get_address(const char *symbol, void **out, int version, uint64_t flags)
{
    typedef int OldFunction(const char *symbol, void **out, int version, uint64_t flags);
    OldFunction *real = (OldFunction *)(uintptr_t)real_address;
    int error = real(symbol, out, version, flags);
    if (!error && out && symbol && !strcmp(symbol, "cuGetProcAddress") && version >= V2_VERSION) {
        real_address_v2 = *out;
        *out = (void *)(uintptr_t)get_address_v2;
    } else if (!error && out && symbol) {
        *out = hear(symbol, *out, flags & PER_THREAD_STREAM);
    }
    return error;
}

/* What ours is for a function of the driver that dlsym has found. */
static void *hear_symbol(const char *name, void *real)
{
    if (!strcmp(name, "cuGetProcAddress_v2")) {
        real_address_v2 = real;
        return (void *)(uintptr_t)get_address_v2;
    }
    if (!strcmp(name, "cuGetProcAddress")) {
        real_address = real;
        return (void *)(uintptr_t)get_address;
    }
    return hear(name, real, false);
}

/* For all other names the call is glibc's, as a jump: it looks at who called. */
RECORD_API void *dlsym(void *restrict handle, const char *restrict name)
{
    SymbolFunction *real = find_dlsym();
    if (!strncmp(name, "cuLaunch", 8) || !strncmp(name, "cuGetProcAddress", 16)) {
        void *found = real(handle, name);
        return found ? hear_symbol(name, found) : NULL;
    }
    return real(handle, name);
}
