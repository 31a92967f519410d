/* config_rules.c -- the files of rules that a config file names: names of rules mean something only
 * where the rules are known, so these are looked for before a config is made. */
#include "findings/config.h"

#include "support/guard.h"
#include "support/yaml.h"

typedef struct RulesFind {
    Arena arena;
    YamlSource source;
    ptxlint_write_fn write;
    void *context;
    ptxlint_status result;
} RulesFind;

static bool write_name(const RulesFind *call, const YamlNode *node)
{
    return node->kind != YAML_TEXT || !call->write(call->context, node->text, node->length);
}

static bool write_names(const RulesFind *call, const YamlNode *value)
{
    if (value->kind != YAML_LIST)
        return write_name(call, value);
    for (const YamlNode *item = value->first; item; item = item->next)
        if (!write_name(call, item))
            return false;
    return true;
}

static const YamlNode *find_rules(const YamlNode *root)
{
    const YamlNode *key = root && root->kind == YAML_MAPPING ? root->first : NULL;
    while (key && !ptx_yaml_is(key, "rules"))
        key = key->next->next;
    return key ? key->next : NULL;
}

/* A file that cannot be read names none: ptxlint_config_read says why. */
static void find_rules_guarded(void *context)
{
    RulesFind *call = context;
    YamlError unused;
    const YamlNode *value = find_rules(ptx_yaml_read(&call->arena, call->source, &unused));
    call->result = !value || write_names(call, value) ? PTXLINT_OK : PTXLINT_WRITE;
}

ptxlint_status ptxlint_config_rules(const char *yaml, size_t length, ptxlint_write_fn write,
                                    void *context)
{
    if (!write || (!yaml && length))
        return PTXLINT_BAD_ARGUMENT;
    if (!length || length > CONFIG_FILE_BYTES_MAX)
        return PTXLINT_OK;
    RulesFind call = {
        .source = { yaml, (uint32_t)length, true }, .write = write, .context = context,
        .result = PTXLINT_NO_MEMORY
    };
    ptx_arena_init(&call.arena, (size_t)1 << 30, NULL);
    ptx_run_guarded_in(&call.arena, find_rules_guarded, &call);
    ptx_arena_free(&call.arena);
    return call.result;
}
