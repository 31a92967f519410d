/* demangle.h -- names of functions and variables as the source has them: of C++ (Itanium C++ ABI)
 * and of Rust (v0 and the older form), by libiberty. */
#ifndef PTX_SUPPORT_DEMANGLE_H
#define PTX_SUPPORT_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    MANGLED_BYTES_MAX = 8192,   /* a longer name stays as it is */
    DEMANGLED_BYTES_MAX = 32768 /* so does one that is longer than this in the source */
};

typedef enum NameForm {
    NAME_SIGNATURE,             /* ns::copy<float, 16>(float const*, float*), without return type */
    NAME_SHORT,                 /* ns::copy<float, 16> */
    NAME_QUALIFIED,             /* ns::copy */
    NAME_PLAIN,                 /* copy */
    NAME_FORM__COUNT
} NameForm;

/* Writes the form into out, at most size bytes with the NUL; returns the length it has in full. 0:
 * the name is not a mangled one, or too long. */
size_t ptx_demangle(const char *name, NameForm form, char *out, size_t size);

/* What a message calls a variable or function: "part in block_sum" for a variable of a function,
 * "param_2" for a parameter without a name of its own, else NAME_SHORT; what is not mangled as it
 * is. name: length bytes. Returns the length in full, like ptx_demangle. */
size_t ptx_source_title(const char *name, size_t length, char *out, size_t size);

/* Calls use with each way to write the name in the source (with blanks as c++filt has them and
 * without), until it returns true; whether it did. The name as it is comes first. */
typedef bool (*NameFn)(void *context, const char *form);
bool ptx_name_forms(const char *name, NameFn use, void *context);

/* A glob of the user, a line each, fits the name as it is, or one of those forms; blanks do not
 * matter. */
bool ptx_name_fits(const char *globs, const char *name);

#endif
