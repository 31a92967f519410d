/* choice.h -- a text, a part of it or its absence, for the arguments of a format. */
#ifndef PTX_SUPPORT_CHOICE_H
#define PTX_SUPPORT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* text where the condition holds, else nothing */
static inline const char *ptx_text_if(bool condition, const char *text)
{
    return condition ? text : "";
}

/* text, or what to write where there is none */
static inline const char *ptx_text_or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

/* what ends the noun behind a count */
static inline const char *ptx_plural(uint64_t count)
{
    return ptx_text_if(count != 1, "s");
}

/* What jansson says is wrong, cut before the word that it quotes: the file may be anyone's. */
static inline const char *ptx_without_excerpt(char *message)
{
    char *excerpt = strstr(message, " near '");
    if (excerpt)
        *excerpt = 0;
    return message;
}

#endif
