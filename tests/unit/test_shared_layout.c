/* test_shared_layout.c -- where variables in shared memory lie, by variable and by address. */
#include "kit.h"

#include "analysis/sim/shared_layout.h"
#include "api/module.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "isa/isa.h"
#include "support/arena.h"

#include <string.h>

enum { KERNEL, OTHER, HELPER };

/* Of two kernels and a function; the last variables are the kernels' own. */
static Var vars[] = {
    { .bytes = 6, .align = 2, .func = NO_ID, .space = SPACE_SHARED },
    { .bytes = 0, .align = 4, .func = NO_ID, .space = SPACE_SHARED },
    { .bytes = 8, .align = 8, .func = NO_ID, .space = SPACE_GLOBAL },
    { .bytes = 4, .align = 4, .func = HELPER, .space = SPACE_SHARED },
    { .bytes = 0, .align = 64, .func = NO_ID, .space = SPACE_SHARED },
    { .bytes = 4, .align = 4, .func = NO_ID, .space = SPACE_SHARED, .unit = 1 },
    { .bytes = 40, .align = 8, .func = KERNEL, .space = SPACE_SHARED },
    { .bytes = 100, .align = 4, .func = OTHER, .space = SPACE_SHARED },
};

static Func funcs[] = { { .is_entry = true }, { .is_entry = true }, { .is_entry = false } };

static Module a_module(void)
{
    return (Module){ .funcs = funcs, .func_count = COUNT(funcs), .vars = vars,
                     .var_count = COUNT(vars), .unit_count = 2 };
}

static SharedLayout lay_out(Arena *arena)
{
    const Module module = a_module();
    const SharedUnit *units = ptx_shared_units_new(arena, &module);
    return ptx_shared_layout_make(arena, &module, &units[0], 6, 7);
}

/* -1: it is not the kernel's. */
static void test_by_variable(void **state)
{
    static const int expected[COUNT(vars)] = { 0, 64, -1, 8, 64, -1, 16, -1 };
    jmp_buf on_failure;
    Arena arena;
    (void)state;
    ptx_arena_init(&arena, SIZE_MAX, &on_failure);
    const SharedLayout layout = lay_out(&arena);
    for (VarId v = 0; v < COUNT(vars); v++) {
        uint64_t address = UINT64_MAX;
        const bool is_found = ptx_shared_layout_find(&layout, v, &address);
        assert_int_equal(is_found ? (int)address : -1, expected[v]);
    }
    assert_int_equal(layout.end, 64);
    ptx_arena_free(&arena);
}

static void test_by_address(void **state)
{
    static const struct Row { uint64_t at, offset; VarId var; } rows[] = {
        { 0, 0, 0 }, { 5, 5, 0 }, { 7, 7, 0 }, { 8, 0, 3 }, { 15, 7, 3 }, { 16, 0, 6 },
        { 63, 47, 6 }, { 64, 0, 1 }, { 1000, 936, 1 },
    };
    jmp_buf on_failure;
    Arena arena, lasting;
    (void)state;
    ptx_arena_init(&arena, SIZE_MAX, &on_failure);
    ptx_arena_init(&lasting, SIZE_MAX, &on_failure);
    const SharedLayout layout = lay_out(&arena), copy = ptx_shared_layout_copy(&lasting, &layout);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t at = rows[i].at;
        assert_int_equal(ptx_shared_layout_at(&layout, &at), rows[i].var);
        assert_int_equal(at, rows[i].offset);
    }
    /* the copy needs nothing of the other */
    for (unsigned g = 0; g < COUNT(layout.groups); g++)
        memset(layout.groups[g].places, 0xff,
               layout.groups[g].count * sizeof *layout.groups[g].places);
    ptx_arena_free(&arena);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t at = rows[i].at;
        assert_int_equal(ptx_shared_layout_at(&copy, &at), rows[i].var);
    }
    ptx_arena_free(&lasting);
}

/* A kernel without calls has what it names, in the order of declarations and once. */
static void test_named(void **state)
{
    static const Op add = { .kind = OPK_ADD }, call = { .kind = OPK_CALL };
    static const struct Row { const Op *op; uint32_t sized, unsized; uint64_t end; } rows[] = {
        { &add, 2, 1, 12 }, { &call, 2, 2, 12 },
    };
    VarId named[] = { 3, 1, 0, 3, 2 };
    jmp_buf on_failure;
    Arena arena;
    (void)state;
    ptx_arena_init(&arena, SIZE_MAX, &on_failure);
    const Module module = a_module();
    const SharedUnit *units = ptx_shared_units_new(&arena, &module);
    for (size_t i = 0; i < COUNT(rows); i++) {
        Insn insn = { .op = rows[i].op };
        const Func func = { .insns = &insn, .insn_count = 1, .has_calls = true,
                            .shared_vars = named, .shared_var_count = COUNT(named) };
        const SharedUnit unit = ptx_shared_unit_of(&arena, &module, &units[0], &func);
        assert_int_equal(unit.sized.count, rows[i].sized);
        assert_int_equal(unit.unsized.count, rows[i].unsized);
        assert_int_equal(unit.end, rows[i].end);
    }
    ptx_arena_free(&arena);
}

/* Of a function in text: those of shared memory, as often as operands name them. */
static void test_listed(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".shared .b32 a;\n.global .b32 g;\n.extern .shared .b32 b[];\n.shared .b32 unnamed;\n"
        ".visible .entry k()\n{\n.reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
        "ld.shared.u32 %r1, [b+4]; ld.global.u32 %r2, [g]; mov.u64 %rd1, a; st.shared.u32 [b], "
        "%r2;\nret;\n}\n.visible .entry l() { ret; }\n";
    static const VarId expected[] = { 2, 0, 2 };
    (void)state;
    ptxlint_module *module = kit_module(text);
    const Func *func = &module->ir->funcs[0];
    assert_int_equal(func->shared_var_count, COUNT(expected));
    assert_memory_equal(func->shared_vars, expected, sizeof expected);
    assert_int_equal(module->ir->funcs[1].shared_var_count, 0);
    ptxlint_module_free(module);
}

UNIT(shared_layout)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_variable),
        cmocka_unit_test(test_by_address),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
