/* test_profile.c -- times are added up by stage and rule, and profiles by each other. */
#include "kit.h"

#include "api/profile.h"

static ptxlint_profile *new_profile(void)
{
    ptxlint_profile *profile;
    assert_int_equal(ptxlint_profile_new(&profile), PTXLINT_OK);
    return profile;
}

static ptxlint_profile_entry find(const ptxlint_profile *profile, const char *name)
{
    ptxlint_profile_entry entry;
    for (size_t i = 0; ptxlint_profile_at(profile, i, &entry); i++)
        if (!strcmp(entry.name, name))
            return entry;
    fail_msg("no entry %s", name);
    return entry;
}

/* Called for each function of a module, a stage still counts the module once. */
static void test_stages(void **state)
{
    ptxlint_profile *profile = new_profile();
    (void)state;
    for (int module = 0; module < 2; module++) {
        ptx_profile_module(profile);
        for (int func = 0; func < 3; func++) {
            ptx_profile_begin(profile, PROFILE_LIVE);
            ptx_profile_end(profile, PROFILE_LIVE);
        }
    }
    assert_int_equal(find(profile, "live").count, 2);
    assert_true(find(profile, "live").seconds >= 0);
    assert_int_equal(find(profile, "parse").count, 0);
    ptxlint_profile_free(profile);
}

static void test_rules(void **state)
{
    static const char *const codes[] = { "THR102", "COR101", "THR101", "COR101" };
    ptxlint_profile *profile = new_profile(), *other = new_profile();
    ptxlint_profile_entry entry;
    const char *last = "";
    (void)state;
    for (size_t i = 0; i < COUNT(codes); i++)
        ptx_profile_rule(profile, codes[i], 0.5, 10);
    ptx_profile_rule(other, "COR102", 1, 1);
    ptx_profile_rule(other, "THR102", 1, 1);
    ptxlint_profile_add(profile, other);
    assert_true(find(profile, "COR101").seconds == 1 && find(profile, "COR101").count == 20);
    assert_true(find(profile, "THR102").seconds == 1.5 && find(profile, "THR102").count == 11);
    for (size_t i = 0; ptxlint_profile_at(profile, i, &entry); i++) {
        if (!entry.is_rule)
            continue;
        assert_true(strcmp(last, entry.name) < 0);
        last = entry.name;
    }
    assert_string_equal(last, "THR102");
    ptxlint_profile_free(profile);
    ptxlint_profile_free(other);
}

static void test_none(void **state)
{
    ptxlint_profile_entry entry;
    (void)state;
    ptx_profile_module(NULL);
    ptx_profile_begin(NULL, PROFILE_RULES);
    ptx_profile_end(NULL, PROFILE_RULES);
    ptx_profile_rule(NULL, "COR101", 1, 1);
    ptxlint_profile_add(NULL, NULL);
    ptxlint_profile_free(NULL);
    assert_int_equal(ptxlint_profile_at(NULL, 0, &entry), 0);
    assert_int_equal(ptxlint_profile_new(NULL), PTXLINT_BAD_ARGUMENT);
}

UNIT(profile)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
