/* test_rule_language.c -- expressions and templates of rules: the Code that they become, and what
 * is said of wrong ones. */
#include "kit.h"

#include "arenas.h"

#include "gpu/gpu.h"
#include "rules/lang/compile.h"

static const Threshold thresholds[] = {
    { .name = "threads", .value = 64, .unit = { { [UNIT_THREADS] = 1 } } },
    { .name = "factor", .value = 2 },
};

static ExprScope scope_of(Subject subject)
{
    return (ExprScope){ .subject = subject,
                        .thresholds = thresholds,
                        .threshold_count = COUNT(thresholds) };
}

/* ---- a disassembler -------------------------------------------------------------------------- */

static const char *const code_text[CODE__COUNT] = {
    [CODE_ANY] = "any", [CODE_ALL] = "all", [CODE_COUNT] = "count", [CODE_EVER_BEFORE] = "ever_before", [CODE_EVER_AFTER] = "ever_after",
    [CODE_ALWAYS_BEFORE] = "always_before", [CODE_ALWAYS_AFTER] = "always_after", [CODE_NOT] = "not", [CODE_NEGATE] = "negate",
    [CODE_KNOWN] = "known", [CODE_FLOOR] = "floor", [CODE_CEIL] = "ceil", [CODE_ROUND] = "round", [CODE_ABS] = "abs", [CODE_ADD] = "+",
    [CODE_SUB] = "-", [CODE_MUL] = "*", [CODE_DIV] = "/", [CODE_MOD] = "%", [CODE_MIN] = "min", [CODE_MAX] = "max", [CODE_EQ] = "==",
    [CODE_NE] = "!=", [CODE_LT] = "<", [CODE_LE] = "<=", [CODE_GT] = ">", [CODE_GE] = ">=", [CODE_AND_JUMP] = "and>",
    [CODE_OR_JUMP] = "or>", [CODE_AND] = "and", [CODE_OR] = "or",
};

static const char *const level_text[LEVEL__COUNT] = { "module", "op", "kernel", "subject" };

static void put_patterns(Text *out, const RuleSet *set, Code code)
{
    for (unsigned p = 0; p < code.count; p++) {
        const Pattern *pattern = &set->patterns[code.arg + p];
        kit_print(out, "%s%s", p ? " " : "is(", ptx_opcode_info[pattern->opcode].text);
        for (unsigned m = 0; m < pattern->modifier_count; m++)
            kit_print(out, ".%s", ptx_modifier_texts[set->modifiers[pattern->modifier_first + m]]);
    }
    kit_print(out, ")");
}

static void put_program(Text *out, const RuleSet *set, Program program);

static void put_quantifier(Text *out, const RuleSet *set, Code code)
{
    const Quantifier *q = &set->quantifiers[code.arg];
    kit_print(out, "%s(%s%s/%s: ", code_text[code.kind], q->in_loop ? "loop." : "",
              ptx_subject_text[q->over], level_text[q->level]);
    put_program(out, set, q->predicate);
    kit_print(out, ")");
}

static void put_code(Text *out, const RuleSet *set, Code code)
{
    switch (code.kind) {
    case CODE_CONST:
        kit_print(out, "%g", set->constants[code.arg]);
        return;
    case CODE_FACT:
        if (code.arg >= FACT__COUNT)
            kit_print(out, "gpu.%s", ptx_figure_info[code.arg - FACT__COUNT].key);
        else
            kit_print(out, "%s.%s", ptx_scope_text[ptx_fact_info[code.arg].scope],
                      ptx_fact_info[code.arg].name);
        return;
    case CODE_THRESHOLD:
        kit_print(out, "threshold.%s", thresholds[code.arg].name);
        return;
    case CODE_IS:
        put_patterns(out, set, code);
        return;
    case CODE_IN:
        for (unsigned i = 0; i < code.count; i++)
            kit_print(out, "%s%g", i ? " " : "in(", set->constants[code.arg + i]);
        kit_print(out, ")");
        return;
    case CODE_ANY: case CODE_ALL: case CODE_COUNT:
    case CODE_EVER_BEFORE: case CODE_EVER_AFTER: case CODE_ALWAYS_BEFORE: case CODE_ALWAYS_AFTER:
        put_quantifier(out, set, code);
        return;
    default:
        kit_print(out, "%s", code_text[code.kind]);
        if (code.kind == CODE_AND_JUMP || code.kind == CODE_OR_JUMP)
            kit_print(out, "%u", code.arg);
    }
}

static void put_program(Text *out, const RuleSet *set, Program program)
{
    assert_true(program.first + program.count <= set->code_count);
    for (uint32_t i = 0; i < program.count; i++) {
        if (i)
            kit_put(out, " ", 1);
        put_code(out, set, set->codes[program.first + i]);
    }
}

/* "op: insn.is_load; kernel: ...". */
static void put_condition(Text *out, const RuleSet *set, const Program when[LEVEL__COUNT])
{
    kit_put(out, "", 0);
    for (int level = 0; level < LEVEL__COUNT; level++) {
        if (!when[level].count)
            continue;
        kit_print(out, "%s%s: ", out->length ? "; " : "", level_text[level]);
        put_program(out, set, when[level]);
    }
}

/* ---- what must hold for every program -------------------------------------------------------- */

static void check_program(const RuleSet *set, Program program)
{
    uint32_t height = 0, heights[65536];
    assert_true(program.count > 0 && program.count < COUNT(heights));
    memset(heights, 0, (program.count + 1) * sizeof *heights);
    for (uint32_t i = 0; i < program.count; i++) {
        const Code code = set->codes[program.first + i];
        assert_true(!heights[i] || heights[i] == height);       /* of a jump to here */
        assert_true(code.kind < CODE__COUNT);
        if (code.kind <= CODE_IS || (code.kind >= CODE_ANY && code.kind <= CODE_ALWAYS_AFTER)) {
            height++;
        } else if (code.kind == CODE_AND_JUMP || code.kind == CODE_OR_JUMP) {
            assert_true(code.arg > i && code.arg <= program.count);
            heights[code.arg] = height;
        } else if (code.kind >= CODE_ADD) {
            assert_true(height >= 2);
            height--;
        }
        assert_true(height >= 1 && height <= CODE_STACK);
    }
    assert_true(height == 1 && (!heights[program.count] || heights[program.count] == 1));
}

static void check_condition(const RuleSet *set, const Program when[LEVEL__COUNT])
{
    for (int level = 0; level < LEVEL__COUNT; level++)
        if (when[level].count)
            check_program(set, when[level]);
    for (uint32_t q = 0; q < set->quantifier_count; q++)
        check_program(set, set->quantifiers[q].predicate);
}

/* ---- conditions ------------------------------------------------------------------------------ */

typedef struct Condition {
    Subject subject;
    const char *text, *code;
} Condition;

static const Condition conditions[] = {
    { SUBJECT_MODULE, "module.is_debug", "module: module.is_debug" },
    { SUBJECT_MODULE, "module.version < 7.0 and not module.is_target_specific",
      "module: module.version 7 < and>7 module.is_target_specific not and" },
    { SUBJECT_MODULE, "gpu.sms > 100", "module: gpu.sms 100 >" },
    { SUBJECT_MODULE, "true", "module: 1" },
    { SUBJECT_MODULE, "gpu.threads_per_sm == 2048 threads", "module: gpu.threads_per_sm 2048 ==" },
    { SUBJECT_MODULE, "gpu.shared_per_block >= 48 KiB", "module: gpu.shared_per_block 49152 >=" },
    { SUBJECT_MODULE, "1.5e3 < 2e-1 or false", "module: 1500 0.2 < or>6 0 or" },
    { SUBJECT_VARIABLE, "variable.space == \"shared\" and not variable.is_named",
      "subject: variable.space 9 == and>7 variable.is_named not and" },
    { SUBJECT_VARIABLE, "\"global\" != variable.space", "subject: 4 variable.space !=" },
    { SUBJECT_KERNEL, "kernel.block_threads % 32 != 0", "kernel: kernel.block_threads 32 % 0 !=" },
    { SUBJECT_KERNEL, "kernel.block_threads % gpu.warp_size != 0 threads",
      "kernel: kernel.block_threads gpu.warp_size % 0 !=" },
    { SUBJECT_KERNEL, "kernel.occupancy < 25% and kernel.limiter == \"registers\"",
      "kernel: kernel.occupancy 25 < and>8 kernel.limiter 1 == and" },
    { SUBJECT_KERNEL, "kernel.limiter in [\"registers\", \"shared\"]",
      "kernel: kernel.limiter in(1 2)" },
    { SUBJECT_KERNEL, "kernel.limiter not in [\"warps\"]", "kernel: kernel.limiter in(0) not" },
    { SUBJECT_KERNEL, "kernel.block_threads < threshold.threads * threshold.factor",
      "kernel: kernel.block_threads threshold.threads threshold.factor * <" },
    { SUBJECT_KERNEL, "kernel.has_calls == false", "kernel: kernel.has_calls 0 ==" },
    { SUBJECT_KERNEL, "known(kernel.block_threads) and not known(kernel.limiter)",
      "kernel: kernel.block_threads known and>7 kernel.limiter known not and" },
    { SUBJECT_KERNEL, "any(instructions: insn.is_full_precision)",
      "kernel: any(instruction/op: insn.is_full_precision)" },
    { SUBJECT_KERNEL, "count(instructions: insn is \"bar.sync\") > 2 and kernel.is_entry",
      "kernel: count(instruction/op: is(bar.sync)) 2 > and>6 kernel.is_entry and" },
    { SUBJECT_KERNEL, "all(loops: loop.depth <= 1) or kernel.loops == 0",
      "kernel: all(loop/subject: loop.depth 1 <=) or>6 kernel.loops 0 == or" },
    { SUBJECT_KERNEL, "any(accesses: access.bytes == 1 bytes and loop.depth > 0)",
      "kernel: any(access/subject: access.bytes 1 == and>8 loop.depth 0 > and)" },
    { SUBJECT_KERNEL, "any(branches: branch.splits_warp and kernel.is_entry)",
      "kernel: any(branch/subject: branch.splits_warp and>4 kernel.is_entry and)" },
    { SUBJECT_KERNEL, "any(parameters: not parameter.is_used)",
      "kernel: any(parameter/subject: parameter.is_used not)" },
    { SUBJECT_KERNEL, "any(instructions: insn.is_load and kernel.is_entry)",
      "kernel: any(instruction/subject: insn.is_load and>4 kernel.is_entry and)" },
    { SUBJECT_KERNEL, "any(loops: any(loop.instructions: insn is \"bar.sync\"))",
      "kernel: any(loop/subject: any(loop.instruction/op: is(bar.sync)))" },
    { SUBJECT_KERNEL, "any(instructions: kernel.is_entry)",
      "kernel: any(instruction/kernel: kernel.is_entry)" },
    { SUBJECT_KERNEL, "any(instructions: gpu.sms > 1)",
      "kernel: any(instruction/module: gpu.sms 1 >)" },
    { SUBJECT_PARAMETER, "parameter.bytes > 4 KiB and kernel.is_entry",
      "kernel: kernel.is_entry; subject: parameter.bytes 4096 >" },
    { SUBJECT_REGISTER,
      "register.is_read and not register.is_written and register.type == \"pred\"",
      "subject: register.is_read and>5 register.is_written not and and>10 register.type 1 == and" },
    { SUBJECT_BLOCK, "block.instructions > 1 and not block.is_reachable",
      "subject: block.instructions 1 > and>7 block.is_reachable not and" },
    { SUBJECT_LOOP, "loop.is_innermost and loop.trips < 4",
      "subject: loop.is_innermost and>6 loop.trips 4 < and" },
    { SUBJECT_LOOP, "loop.overhead / loop.instructions > 0.25",
      "subject: loop.overhead loop.instructions / 0.25 >" },
    { SUBJECT_LOOP, "100 * loop.overhead / loop.instructions > 25%",
      "subject: 100 loop.overhead * loop.instructions / 25 >" },
    { SUBJECT_LOOP, "count(loop.accesses: insn.space == \"global\") >= 2",
      "subject: count(loop.access/op: insn.space 4 ==) 2 >=" },
    { SUBJECT_LOOP, "all(loop.branches: branch.is_loop_exit)",
      "subject: all(loop.branch/subject: branch.is_loop_exit)" },
    { SUBJECT_LOOP,
      "max(loop.depth, 2) > 2 and min(floor(loop.trips), ceil(3.5)) == round(abs(-4))",
      "subject: loop.depth 2 max 2 > and>17 loop.trips floor 3.5 ceil min 4 negate abs round == "
      "and" },
    { SUBJECT_LOOP, "loop.share > 10 percent", "subject: loop.share 10 >" },
    { SUBJECT_BRANCH, "branch.splits_warp and insn is not \"bra.uni\"",
      "op: is(bra.uni) not; subject: branch.splits_warp" },
    { SUBJECT_INSTRUCTION, "insn.is_full_precision and insn.type == \"f32\" and loop.depth > 0",
      "op: insn.is_full_precision and>6 insn.type 19 == and; subject: loop.depth 0 >" },
    { SUBJECT_INSTRUCTION, "insn.is_full_precision and (insn.type == \"f32\" and kernel.is_entry)",
      "op: insn.is_full_precision and>6 insn.type 19 == and; kernel: kernel.is_entry" },
    { SUBJECT_INSTRUCTION, "(insn.is_load or loop.depth > 0) and module.version > 8",
      "module: module.version 8 >; subject: insn.is_load or>6 loop.depth 0 > or" },
    { SUBJECT_INSTRUCTION,
      "insn is [\"div.rn.f32\", \"sqrt.rn.f32\"] and loop.depth > 0 and kernel.block_threads % 32 "
      "!= 0",
      "op: is(div.rn.f32 sqrt.rn.f32); kernel: kernel.block_threads 32 % 0 !=; subject: loop.depth "
      "0 >" },
    { SUBJECT_INSTRUCTION, "insn is \"cp.async.wait_group\"", "op: is(cp.async.wait_group)" },
    { SUBJECT_INSTRUCTION, "insn is not [\"ld.shared::cta\", \"st\"]",
      "op: is(ld.shared::cta st) not" },
    { SUBJECT_INSTRUCTION, "insn.opcode == \"div\" and module.target >= 80",
      "module: module.target 80 >=; op: insn.opcode 31 ==" },
    { SUBJECT_INSTRUCTION, "insn.type in [\"f32\", \"f64\"] and insn.vector in [1, 2]",
      "op: insn.type in(19 21) and>6 insn.vector in(1 2) and" },
    { SUBJECT_INSTRUCTION, "insn.is_load or kernel.is_entry",
      "subject: insn.is_load or>4 kernel.is_entry or" },
    { SUBJECT_INSTRUCTION, "insn.weight in [-1, 2.5]", "subject: insn.weight in(-1 2.5)" },
    { SUBJECT_INSTRUCTION, "not insn.is_load and not (insn.is_store or insn.is_guarded)",
      "op: insn.is_load not; subject: insn.is_store or>4 insn.is_guarded or not" },
    { SUBJECT_INSTRUCTION, "not insn.vector == 1", "op: insn.vector 1 == not" },
    { SUBJECT_INSTRUCTION, "not insn.type not in [\"f32\"]", "op: insn.type in(19) not not" },
    { SUBJECT_INSTRUCTION,
      "ever_before(insn is \"cp.async\") and not always_after(insn is \"cp.async.wait_group\" or "
      "insn is \"cp.async.wait_all\")",
      "subject: ever_before(instruction/op: is(cp.async)) and>5 always_after(instruction/op: "
      "is(cp.async.wait_group) "
      "or>4 is(cp.async.wait_all) or) not and" },
    { SUBJECT_INSTRUCTION, "ever_after(insn.is_store and kernel.is_entry)",
      "subject: ever_after(instruction/subject: insn.is_store and>4 kernel.is_entry and)" },
    { SUBJECT_INSTRUCTION, "always_before(loop.depth > 0)",
      "subject: always_before(instruction/subject: loop.depth 0 >)" },
    { SUBJECT_INSTRUCTION, "insn.barrier_threads % gpu.warp_size != 0",
      "subject: insn.barrier_threads gpu.warp_size % 0 !=" },
    { SUBJECT_INSTRUCTION, "any(loop.instructions: insn.is_store)",
      "subject: any(loop.instruction/op: insn.is_store)" },
    { SUBJECT_INSTRUCTION, "1 - 2 - 3 < 4 * 5 / 6 % 7 + -2",
      "module: 1 2 - 3 - 4 5 * 6 / 7 % 2 negate + <" },
    { SUBJECT_INSTRUCTION, "(((insn.is_load)))", "op: insn.is_load" },
    { SUBJECT_INSTRUCTION, "insn.result_type == insn.type", "op: insn.result_type insn.type ==" },
    { SUBJECT_INSTRUCTION, "insn.is_load == insn.is_store", "op: insn.is_load insn.is_store ==" },
    { SUBJECT_INSTRUCTION,
      "insn.machine_instructions * insn.weight / kernel.weighted_instructions > 0.1",
      "subject: insn.machine_instructions insn.weight * kernel.weighted_instructions / 0.1 >" },
    { SUBJECT_ACCESS, "access.overrun > 0 and access.pointed_space == \"shared\" and insn.is_load",
      "op: insn.is_load; subject: access.overrun 0 > and>8 access.pointed_space 9 == and" },
    { SUBJECT_ACCESS, "access.bytes * access.neighbours in [4 bytes, 8, 16 bytes]",
      "subject: access.bytes access.neighbours * in(4 8 16)" },
    { SUBJECT_ACCESS, "access.misalignment != 0 and access.address_space != insn.space",
      "subject: access.misalignment 0 != and>8 access.address_space insn.space != and" },
    { SUBJECT_ACCESS, "insn.space == \"generic\" and insn.class == \"global\"",
      "op: insn.space 14 == and>8 insn.class 10 == and" },
    { SUBJECT_ACCESS, "2 KiB > access.offset", "subject: 2048 access.offset >" },
};

/* Compiles into a builder of its own. */
static bool compile(World *w, Subject subject, const char *text, size_t length, Text *code,
                    ExprError *error)
{
    const ExprScope scope = scope_of(subject);
    RuleBuilder builder;
    Program when[LEVEL__COUNT];
    ptx_rule_builder_init(&builder, &w->arena);
    *error = (ExprError){ 0 };
    if (!ptx_compile_condition(&builder, &scope, text, length, when, error)) {
        assert_true(error->text[0] && error->at + error->length <= length);
        assert_true(!builder.set.code_count && !builder.set.constant_count
                    && !builder.set.pattern_count && !builder.set.quantifier_count);
        return false;
    }
    check_condition(&builder.set, when);
    if (code)
        put_condition(code, &builder.set, when);
    return true;
}

static void test_conditions(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("the arena is at its limit");
    for (size_t i = 0; i < COUNT(conditions); i++) {
        const Condition *row = &conditions[i];
        Text got = { 0 };
        ExprError error;
        if (!compile(w, row->subject, row->text, strlen(row->text), &got, &error))
            fail_msg("%s: %u+%u: %s", row->text, error.at, error.length, error.text);
        if (strcmp(got.bytes, row->code) != 0)
            fail_msg("%s:\n%s\nwant\n%s", row->text, got.bytes, row->code);
        free(got.bytes);
    }
}

/* ---- wrong ones ------------------------------------------------------------------------------ */

typedef struct Wrong {
    Subject subject;
    const char *text;
    uint32_t at, length;
    const char *error;
} Wrong;

static const Wrong wrongs[] = {
    { SUBJECT_INSTRUCTION, "", 0, 0, "the expression is empty" },
    { SUBJECT_INSTRUCTION, "   ", 3, 0, "the expression is empty" },
    { SUBJECT_INSTRUCTION, "insn.spac == \"global\"", 0, 9,
      "unknown fact 'insn.spac'; did you mean 'insn.space'?" },
    { SUBJECT_INSTRUCTION, "insn.spce", 0, 9,
      "unknown fact 'insn.spce'; did you mean 'insn.space'?" },
    { SUBJECT_INSTRUCTION, "ins.space == \"global\"", 0, 9,
      "unknown fact 'ins.space'; did you mean 'insn.space'?" },
    { SUBJECT_INSTRUCTION, "foo.bar", 0, 3,
      "unknown scope 'foo'; there are module, gpu, kernel, variable, parameter, register, block, "
      "loop, branch, insn, "
      "access and threshold" },
    { SUBJECT_INSTRUCTION, "insn.nothing_of_the_kind", 0, 24,
      "unknown fact 'insn.nothing_of_the_kind'; docs/facts.md has all of 'insn'" },
    { SUBJECT_INSTRUCTION, "gpu.sm > 1", 0, 6, "unknown fact 'gpu.sm'; did you mean 'gpu.sms'?" },
    { SUBJECT_INSTRUCTION, "gpu.zzzzzzzz > 1", 0, 12,
      "unknown fact 'gpu.zzzzzzzz'; docs/facts.md has all of 'gpu'" },
    { SUBJECT_INSTRUCTION, "loop.deph > 0", 0, 9,
      "unknown fact 'loop.deph'; did you mean 'loop.depth'?" },
    { SUBJECT_LOOP, "insn.is_load", 0, 12,
      "'insn.is_load' is not seen here: a rule on 'loop' sees loop, kernel, gpu, module" },
    { SUBJECT_LOOP, "insn is \"ld\"", 0, 4,
      "'insn' is not seen here: a rule on 'loop' sees loop, kernel, gpu, module" },
    { SUBJECT_MODULE, "kernel.is_entry", 0, 15,
      "'kernel.is_entry' is not seen here: a rule on 'module' sees gpu, module" },
    { SUBJECT_VARIABLE, "any(instructions: insn.is_load)", 4, 12,
      "'kernel' is not seen here: a rule on 'variable' sees variable, gpu, module" },
    { SUBJECT_KERNEL, "ever_before(insn.is_load)", 0, 11,
      "'ever_before' asks for an instruction, which is not seen here: a rule on 'kernel' sees "
      "kernel, gpu, module" },
    { SUBJECT_KERNEL, "any(loop.instructions: insn.is_load)", 4, 17,
      "'loop' is not seen here: a rule on 'kernel' sees kernel, gpu, module" },
    { SUBJECT_LOOP, "any(instructions: access.bytes > 1)", 18, 12,
      "'access.bytes' is not seen here: a predicate on 'instruction' sees insn, loop, block, "
      "kernel, gpu, module" },
    { SUBJECT_KERNEL, "any(loops: insn.is_load)", 11, 12,
      "'insn.is_load' is not seen here: a predicate on 'loop' sees loop, kernel, gpu, module" },
    { SUBJECT_INSTRUCTION, "insn.op == \"ld\"", 0, 7,
      "'insn.op' is text: it can only stand alone in a message" },
    { SUBJECT_INSTRUCTION, "insn.op", 0, 7,
      "'insn.op' is text: it can only stand alone in a message" },
    { SUBJECT_INSTRUCTION, "insn.split_at", 0, 13,
      "'insn.split_at' is a place: it can only stand in 'at' of 'related'" },
    { SUBJECT_INSTRUCTION, "access.bytes > 4", 0, 12,
      "'access.bytes' is not seen here: a rule on 'instruction' sees insn, loop, block, kernel, "
      "gpu, module" },
    { SUBJECT_INSTRUCTION, "insn.space == \"globl\"", 14, 7,
      "unknown space 'globl'; did you mean 'global'?" },
    { SUBJECT_INSTRUCTION, "insn.space == \"zzzzzzzz\"", 14, 10, "unknown space 'zzzzzzzz'" },
    { SUBJECT_INSTRUCTION, "insn.type in [\"f32\", \"f65\"]", 21, 5,
      "unknown type 'f65'; did you mean 'f64'?" },
    { SUBJECT_INSTRUCTION, "insn.type in [\"f32\", 64]", 21, 2,
      "a word (type) is sought here, and this is a plain number" },
    { SUBJECT_INSTRUCTION, "insn.vector in [\"v2\"]", 16, 4,
      "a plain number is sought here, and this is a word" },
    { SUBJECT_INSTRUCTION, "insn.is_load in [true]", 0, 12,
      "'in' is asked of a number or a word, and this is a truth" },
    { SUBJECT_INSTRUCTION, "insn.vector in [1, loop.depth]", 19, 10,
      "a list of 'in' has constants only: numbers or words" },
    { SUBJECT_INSTRUCTION, "insn.vector in []", 16, 1, "expected a value, not ']'" },
    { SUBJECT_INSTRUCTION, "insn.vector in 4", 15, 1,
      "'in' takes a list of constants, as in insn.type in [\"f32\", \"f64\"]" },
    { SUBJECT_INSTRUCTION, "insn.vector in \"4\"", 15, 3,
      "'in' takes a list of constants, as in insn.type in [\"f32\", \"f64\"]" },
    { SUBJECT_INSTRUCTION, "insn.space == insn.type", 11, 2,
      "'==' takes two of a kind: left is a word (space), right is a word (type)" },
    { SUBJECT_INSTRUCTION, "\"a\" == \"b\"", 0, 3,
      "a word alone is not a condition: compare it with a fact, as in insn.space == \"global\"" },
    { SUBJECT_INSTRUCTION, "\"global\"", 0, 8,
      "a word alone is not a condition: compare it with a fact, as in insn.space == \"global\"" },
    { SUBJECT_INSTRUCTION, "insn.space < \"global\"", 0, 10,
      "'<' compares numbers, and this is a word (space)" },
    { SUBJECT_INSTRUCTION, "insn.is_load < 1", 0, 12, "'<' compares numbers, and this is a truth" },
    { SUBJECT_INSTRUCTION, "insn.is_load == 1", 13, 2,
      "'==' takes two of a kind: left is a truth, right is a plain number" },
    { SUBJECT_INSTRUCTION, "insn.vector", 0, 11,
      "a truth is wanted here, and this is a plain number" },
    { SUBJECT_INSTRUCTION, "not insn.vector", 4, 11,
      "a truth is wanted here, and this is a plain number" },
    { SUBJECT_INSTRUCTION, "insn.vector and insn.is_load", 0, 11,
      "a truth is wanted here, and this is a plain number" },
    { SUBJECT_INSTRUCTION, "insn.is_load or 1", 16, 1,
      "a truth is wanted here, and this is a plain number" },
    { SUBJECT_INSTRUCTION, "-insn.is_load > 1", 1, 12,
      "a number is wanted here, and this is a truth" },
    { SUBJECT_INSTRUCTION, "insn.is_load + 1 > 2", 0, 12,
      "a number is wanted here, and this is a truth" },
    { SUBJECT_KERNEL, "kernel.block_threads < 48 KiB", 21, 1,
      "'<' takes numbers of one unit: left is a number of threads, right is a number of bytes" },
    { SUBJECT_KERNEL, "kernel.block_threads + kernel.grid_blocks > 2", 21, 1,
      "'+' takes numbers of one unit: left is a number of threads, right is a number of blocks" },
    { SUBJECT_KERNEL, "min(kernel.block_threads, kernel.live_registers) > 2", 0, 3,
      "'min' takes numbers of one unit: left is a number of threads, right is a number of "
      "registers" },
    { SUBJECT_KERNEL, "kernel.block_threads in [1 warps, 2]", 21, 2,
      "'in' takes numbers of one unit: left is a number of threads, right is a number of warps" },
    { SUBJECT_KERNEL, "kernel.block_threads * kernel.block_threads > kernel.block_threads", 44, 1,
      "'>' takes numbers of one unit: left is a number of threads^2, right is a number of "
      "threads" },
    { SUBJECT_KERNEL, "kernel.static_shared / kernel.block_threads > 2 bytes", 44, 1,
      "'>' takes numbers of one unit: left is a number of bytes/threads, right is a number of "
      "bytes" },
    { SUBJECT_KERNEL, "1 / kernel.block_threads > 2 bytes", 25, 1,
      "'>' takes numbers of one unit: left is a number of 1/threads, right is a number of bytes" },
    { SUBJECT_KERNEL, "kernel.block_threads > 64 thread", 26, 6,
      "unknown unit 'thread'; did you mean 'threads'?" },
    { SUBJECT_KERNEL, "kernel.block_threads > 64 foos", 26, 4,
      "unknown unit 'foos'; units are bytes, KiB, MiB, threads, warps, blocks, registers, "
      "instructions, cycles, percent" },
    { SUBJECT_KERNEL, "kernel.block_threads > 64threads", 23, 9,
      "'64threads' is not a number; a unit stands apart, as in 64 threads" },
    { SUBJECT_KERNEL, "kernel.block_threads > 0x40", 23, 4,
      "'0x40' is not a number; a unit stands apart, as in 64 threads" },
    { SUBJECT_KERNEL, "kernel.block_threads > 1.", 23, 2,
      "'1.' is not a number; a unit stands apart, as in 64 threads" },
    { SUBJECT_KERNEL, "kernel.block_threads > .5", 23, 2,
      "'.5' is not a number; put a 0 before the point" },
    { SUBJECT_KERNEL, "kernel.block_threads > 1e400", 23, 5,
      "this number is too long, or its exponent too large" },
    { SUBJECT_KERNEL, "kernel.block_threads > 12345678901234567890123456789012345678901", 23, 41,
      "this number is too long, or its exponent too large" },
    { SUBJECT_INSTRUCTION, "1 < insn.vector < 3", 16, 1,
      "comparisons do not chain; join two with 'and', or set parentheses" },
    { SUBJECT_INSTRUCTION, "insn.vector == 1 == true", 17, 2,
      "comparisons do not chain; join two with 'and', or set parentheses" },
    { SUBJECT_INSTRUCTION, "insn.vector in [1] == true", 19, 2,
      "comparisons do not chain; join two with 'and', or set parentheses" },
    { SUBJECT_INSTRUCTION, "insn is \"ld\" == true", 13, 2,
      "comparisons do not chain; join two with 'and', or set parentheses" },
    { SUBJECT_INSTRUCTION, "insn is not \"ld\" == true", 17, 2,
      "comparisons do not chain; join two with 'and', or set parentheses" },
    { SUBJECT_INSTRUCTION, "insn.vector = 1", 12, 1, "'=' does not compare; write '=='" },
    { SUBJECT_INSTRUCTION, "insn.vector === 1", 12, 3, "'===' is not an operator; write '=='" },
    { SUBJECT_INSTRUCTION, "insn.vector =< 1", 12, 2, "'=<' is not an operator; write '<='" },
    { SUBJECT_INSTRUCTION, "insn.vector => 1", 12, 2, "'=>' is not an operator; write '>='" },
    { SUBJECT_INSTRUCTION, "insn.vector <> 1", 12, 2, "'<>' is not an operator; write '!='" },
    { SUBJECT_INSTRUCTION, "insn.is_load && insn.is_store", 13, 2,
      "'&&' is not an operator; write 'and'" },
    { SUBJECT_INSTRUCTION, "insn.is_load & insn.is_store", 13, 1,
      "'&' is not an operator; write 'and'" },
    { SUBJECT_INSTRUCTION, "insn.is_load || insn.is_store", 13, 2,
      "'||' is not an operator; write 'or'" },
    { SUBJECT_INSTRUCTION, "!insn.is_load", 0, 1, "'!' is not an operator; write 'not'" },
    { SUBJECT_INSTRUCTION, "insn.space == 'global'", 14, 1,
      "''' does not quote; words stand in double quotes, as in \"global\"" },
    { SUBJECT_INSTRUCTION, "insn.space == \"global", 14, 7,
      "this word is not closed: a '\"' is missing" },
    { SUBJECT_INSTRUCTION, "insn.space == global", 14, 6,
      "'global' is not a fact: a fact is 'SCOPE.NAME', and a word stands in quotes" },
    { SUBJECT_INSTRUCTION, "insn", 0, 4, "'insn' alone is not a value: a fact is 'insn.NAME'" },
    { SUBJECT_INSTRUCTION, "is_load", 0, 7,
      "'is_load' is not a fact: a fact is 'SCOPE.NAME', and a word stands in quotes" },
    { SUBJECT_INSTRUCTION, "insn. is_load", 0, 5, "'insn.' lacks a name behind the dot" },
    { SUBJECT_INSTRUCTION, "(insn.is_load", 0, 1, "this '(' is not closed: a ')' is missing" },
    { SUBJECT_INSTRUCTION, "insn.is_load)", 12, 1, "no '(' is open here" },
    { SUBJECT_INSTRUCTION, "(insn.is_load]", 13, 1, "'(' is open here, and ']' does not close it" },
    { SUBJECT_INSTRUCTION, "insn.type in [\"f32\"", 13, 1,
      "this '[' is not closed: a ']' is missing" },
    { SUBJECT_INSTRUCTION, "insn.type in [\"f32\", \"f64\" and true", 13, 1,
      "this '[' is not closed: a ']' is missing" },
    { SUBJECT_INSTRUCTION, "insn.is_load insn.is_store", 13, 13,
      "'insn.is_store' cannot follow 'insn.is_load': an operator is missing" },
    { SUBJECT_INSTRUCTION, "insn.is_load \"ld\"", 13, 4,
      "'\"ld\"' cannot follow 'insn.is_load': an operator is missing" },
    { SUBJECT_INSTRUCTION, "insn.is_load and", 13, 3, "a value is missing behind 'and'" },
    { SUBJECT_INSTRUCTION, "and insn.is_load", 0, 3, "expected a value, not 'and'" },
    { SUBJECT_INSTRUCTION, "insn.is_load and or insn.is_store", 17, 2,
      "expected a value, not 'or'" },
    { SUBJECT_INSTRUCTION, "insn.is_load and (", 17, 1, "a value is missing behind '('" },
    { SUBJECT_INSTRUCTION, "insn.vector * > 2", 14, 1, "expected a value, not '>'" },
    { SUBJECT_INSTRUCTION, "()", 1, 1, "expected a value, not ')'" },
    { SUBJECT_INSTRUCTION, "insn is", 5, 2,
      "'is' takes a word or a list of words, as in insn is \"ld.global\"" },
    { SUBJECT_INSTRUCTION, "insn is 3", 8, 1,
      "'is' takes a word or a list of words, as in insn is \"ld.global\"" },
    { SUBJECT_INSTRUCTION, "insn is ld", 8, 2,
      "'is' takes a word or a list of words, as in insn is \"ld.global\"" },
    { SUBJECT_INSTRUCTION, "insn is [\"ld\", 3]", 15, 1,
      "'is' takes words in quotes, as in \"ld.global\"" },
    { SUBJECT_INSTRUCTION, "kernel is \"ld\"", 0, 6,
      "'is' is asked of insn: insn is \"ld.global\"" },
    { SUBJECT_INSTRUCTION, "insn.op is \"ld\"", 0, 7,
      "'is' is asked of insn: insn is \"ld.global\"" },
    { SUBJECT_INSTRUCTION, "insn is \"dvi.rn\"", 9, 3,
      "unknown opcode 'dvi'; did you mean 'div'?" },
    { SUBJECT_INSTRUCTION, "insn is \"\"", 8, 2,
      "an opcode is missing: 'is' takes an opcode and modifiers, as in \"ld.global\"" },
    { SUBJECT_INSTRUCTION, "insn is \".f32\"", 8, 6,
      "an opcode is missing: 'is' takes an opcode and modifiers, as in \"ld.global\"" },
    { SUBJECT_INSTRUCTION, "insn is \"ld.\"", 8, 5, "a modifier is missing behind a dot" },
    { SUBJECT_INSTRUCTION, "insn is \"ld.globl\"", 12, 5,
      "'ld' takes no modifier '.globl'; did you mean '.global'?" },
    { SUBJECT_INSTRUCTION, "insn is \"div.rn.zzzzzz\"", 16, 6,
      "'div' takes no modifier '.zzzzzz'" },
    { SUBJECT_INSTRUCTION, "insn is \"ld.rn\"", 12, 2, "'ld' takes no modifier '.rn'" },
    { SUBJECT_INSTRUCTION, "insn is [\"ld.global\", \"frobnicate\"]", 23, 10,
      "unknown opcode 'frobnicate'" },
    { SUBJECT_INSTRUCTION, "known(insn.op)", 6, 7,
      "'insn.op' is text: it can only stand alone in a message" },
    { SUBJECT_INSTRUCTION, "known(\"x\")", 6, 3,
      "a word alone is not a condition: compare it with a fact, as in insn.space == \"global\"" },
    { SUBJECT_INSTRUCTION, "known(1, 2)", 0, 11, "write known(a)" },
    { SUBJECT_INSTRUCTION, "known()", 6, 1, "expected a value, not ')'" },
    { SUBJECT_INSTRUCTION, "min(1) > 2", 0, 6, "write min(a, b)" },
    { SUBJECT_INSTRUCTION, "flor(1.5) > 1", 0, 4,
      "unknown function 'flor'; did you mean 'floor(a)'?" },
    { SUBJECT_INSTRUCTION, "frobnicate(1.5) > 1", 0, 10, "unknown function 'frobnicate'" },
    { SUBJECT_INSTRUCTION, "any(insn.is_load)", 0, 17, "write any(instructions: p)" },
    { SUBJECT_INSTRUCTION, "known(instructions: insn.is_load)", 0, 33, "write known(a)" },
    { SUBJECT_INSTRUCTION, "any(instruction: insn.is_load)", 4, 11,
      "'instruction' is not something to look over: instructions, loops, accesses, branches, "
      "parameters, or loop.instructions and so on" },
    { SUBJECT_INSTRUCTION, "any(loop.parameters: true)", 4, 15,
      "'loop.parameters' is not something to look over: instructions, loops, accesses, branches, "
      "parameters, or "
      "loop.instructions and so on" },
    { SUBJECT_INSTRUCTION, "any(block.instructions: true)", 4, 18,
      "'block.instructions' is not something to look over: instructions, loops, accesses, "
      "branches, parameters, or "
      "loop.instructions and so on" },
    { SUBJECT_INSTRUCTION, "count(instructions: insn.vector) > 1", 20, 11,
      "a truth is wanted here, and this is a plain number" },
    { SUBJECT_INSTRUCTION, "any(instructions insn.is_load)", 17, 12,
      "'insn.is_load' cannot follow 'instructions': a ':' is missing" },
    { SUBJECT_INSTRUCTION, "any(instructions:)", 17, 1, "expected a value, not ')'" },
    { SUBJECT_INSTRUCTION, "ever_before(insn.vector)", 12, 11,
      "a truth is wanted here, and this is a plain number" },
    { SUBJECT_INSTRUCTION, "ever_before(kernel.is_entry, true)", 0, 34, "write ever_before(p)" },
    { SUBJECT_INSTRUCTION, "threshold.thread > 2", 0, 16,
      "unknown threshold 'threshold.thread'; did you mean 'threshold.threads'?" },
    { SUBJECT_INSTRUCTION, "threshold.zzzzzzzzz > 2", 0, 19,
      "unknown threshold 'threshold.zzzzzzzzz': this rule has others" },
    { SUBJECT_INSTRUCTION, "threshold.threads > 2 bytes", 18, 1,
      "'>' takes numbers of one unit: left is a number of threads, right is a number of bytes" },
    { SUBJECT_INSTRUCTION, "insn.is_load, insn.is_store", 12, 1, "',' does not belong here" },
    { SUBJECT_INSTRUCTION, "insn.is_load : true", 13, 1, "':' does not belong here" },
    { SUBJECT_INSTRUCTION, "insn.is_load ; true", 13, 1, "';' means nothing here" },
    { SUBJECT_INSTRUCTION, "insn.is_load and é", 17, 2,
      "characters outside ASCII mean nothing here" },
    { SUBJECT_INSTRUCTION, "insn.is_load \t$", 14, 1, "'$' means nothing here" },
    { SUBJECT_INSTRUCTION, "insn.is_load ? 1 : 2", 13, 1, "'?' means nothing here" },
    { SUBJECT_INSTRUCTION, "insn.a.b", 0, 8,
      "unknown fact 'insn.a.b'; docs/facts.md has all of 'insn'" },
    { SUBJECT_INSTRUCTION, "insn.vector > 25%5", 17, 1,
      "'5' cannot follow '25%': an operator is missing" },
    { SUBJECT_INSTRUCTION, "true and not", 9, 3, "a value is missing behind 'not'" },
    { SUBJECT_INSTRUCTION, "not", 0, 3, "a value is missing behind 'not'" },
    { SUBJECT_INSTRUCTION, "true in [1]", 0, 4,
      "'in' is asked of a number or a word, and this is a truth" },
};

static void test_wrong(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("the arena is at its limit");
    for (size_t i = 0; i < COUNT(wrongs); i++) {
        const Wrong *row = &wrongs[i];
        ExprError error;
        if (compile(w, row->subject, row->text, strlen(row->text), NULL, &error))
            fail_msg("%s: nothing is said", row->text);
        if (strcmp(error.text, row->error) != 0 || error.at != row->at
            || error.length != row->length)
            fail_msg("%s: %u+%u: %s\nwant %u+%u: %s", row->text, error.at, error.length, error.text,
                     row->at, row->length, row->error);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void put_times(Text *text, const char *what, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        kit_put(text, what, strlen(what));
}

/* before, once; then what, so many times; then middle; then after, as many times. */
static const struct {
    const char *before, *what, *middle, *after, *error;
    unsigned fine, wrong;
} nests[] = {
    { "", "(", "insn.is_load", ")", "nested deeper than 100", 100, 101 },
    { "", "(", "insn.is_load", ")", "nested deeper than 100", 100, 20000 },
    { "", "not ", "insn.is_load", "", "nested deeper than 100", 99, 100 },
    { "", "not ", "insn.is_load", "", "nested deeper than 100", 99, 16000 },
    { "1 < ", "-", "1", "", "nested deeper than 100", 98, 30000 },
    { "", "insn.is_load and ", "insn.is_load", "", "nested deeper than 100", 99, 3000 },
    { "1 < ", "1 + ", "1", "", "nested deeper than 100", 98, 10000 },
    { "1 < ", "1 + (", "1", ")", "too large: more than 32 values wait for an operator here", 30,
      31 },
    { "", "any(instructions: ", "true", ")", "nested deeper than 100", 99, 101 },
    { "insn.vector in [", "1, ", "1]", "", "too large: a list has at most 255 constants", 254,
      255 },
    { "insn is [", "\"ld\", ", "\"ld\"]", "", "too large: a list has at most 255 words", 254, 255 },
    { "insn is \"ld", ".global", "\"", "", "more than 24 modifiers", 24, 25 },
    { "", " ", "true", "", "too large: an expression has at most 65536 bytes", 65532, 65533 },
};

static void test_limits(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("the arena is at its limit");
    for (size_t i = 0; i < 2 * COUNT(nests); i++) {
        const bool is_fine = i % 2 == 0;
        const unsigned times = is_fine ? nests[i / 2].fine : nests[i / 2].wrong;
        Text text = { 0 };
        ExprError error;
        put_times(&text, nests[i / 2].before, 1);
        put_times(&text, nests[i / 2].what, times);
        put_times(&text, nests[i / 2].middle, 1);
        put_times(&text, nests[i / 2].after, *nests[i / 2].after ? times : 0);
        if (compile(w, SUBJECT_INSTRUCTION, text.bytes, text.length, NULL, &error) != is_fine)
            fail_msg("%s%s ... %u times: %s", nests[i / 2].before, nests[i / 2].what, times,
                     error.text);
        if (!is_fine && strcmp(error.text, nests[i / 2].error) != 0)
            fail_msg("%s%s ... %u times: %s", nests[i / 2].before, nests[i / 2].what, times,
                     error.text);
        free(text.bytes);
    }
}

/* Squares of squares: the unit's power doubles with each. */
static void test_unit_power(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("the arena is at its limit");
    Text text = { 0 };
    ExprError error;
    kit_print(&text, "1%%");
    for (int i = 0; i < 7; i++) {
        Text square = { 0 };
        kit_print(&square, "(%s) * (%s)", text.bytes, text.bytes);
        free(text.bytes);
        text = square;
    }
    kit_print(&text, " > 0");
    assert_false(compile(w, SUBJECT_KERNEL, text.bytes, text.length, NULL, &error));
    assert_string_equal(error.text, "too large: a unit to a power above 100");
    free(text.bytes);
}

/* One set holds what 16 bits can count; the expression that needs more fails and leaves nothing. */
static void test_many_constants(void **state)
{
    World *w = *state;
    const ExprScope scope = scope_of(SUBJECT_INSTRUCTION);
    RuleBuilder builder;
    Program out;
    ExprError error = { 0 };
    if (setjmp(w->failure))
        fail_msg("the arena is at its limit");
    ptx_rule_builder_init(&builder, &w->arena);
    for (unsigned n = 0;; n++) {
        char text[32];
        snprintf(text, sizeof text, "%u", n);
        const RuleSet before = builder.set;
        const ExprSource number = { text, strlen(text), FACT_NUMBER, NULL };
        if (ptx_compile_expression(&builder, &scope, &number, &out, &error))
            continue;
        assert_int_equal(n, 65536);
        assert_string_equal(error.text,
                            "too large: the rules have more than 65535 constants or patterns");
        assert_int_equal(builder.set.constant_count, before.constant_count);
        assert_int_equal(builder.set.code_count, before.code_count);
        break;
    }
    const ExprSource last = { "65535", 5, FACT_NUMBER, NULL };
    assert_true(ptx_compile_expression(&builder, &scope, &last, &out, &error));
    assert_int_equal(builder.set.codes[out.first].arg, 65535);
}

static void test_zero_byte(void **state)
{
    World *w = *state;
    ExprError error;
    if (setjmp(w->failure))
        fail_msg("the arena is at its limit");
    assert_false(compile(w, SUBJECT_MODULE, "true\0", 5, NULL, &error));
    assert_string_equal(error.text, "byte 0x00 means nothing here");
    assert_int_equal(error.at, 4);
    /* what is behind the length is not read */
    assert_true(compile(w, SUBJECT_MODULE, "true and false", 4, NULL, &error));
}

/* ---- whole expressions ----------------------------------------------------------------------- */

static const Unit percent = { { [UNIT_PERCENT] = 1 } }, plain;

static const struct {
    Subject subject;
    const char *text;
    FactType type;
    const Unit *unit;
    const char *code, *error;
} wholes[] = {
    { SUBJECT_INSTRUCTION,
      "100 * insn.weight * (insn.machine_instructions - 2) / kernel.weighted_instructions",
      FACT_NUMBER, &percent,
      "100 insn.weight * insn.machine_instructions 2 - * kernel.weighted_instructions /", NULL },
    { SUBJECT_LOOP, "loop.share", FACT_NUMBER, &percent, "loop.share", NULL },
    { SUBJECT_LOOP, "loop.share / 2", FACT_NUMBER, NULL, "loop.share 2 /", NULL },
    { SUBJECT_LOOP, "loop.depth", FACT_NUMBER, &plain, "loop.depth", NULL },
    { SUBJECT_LOOP, "loop.is_innermost and kernel.is_entry", FACT_TRUTH, NULL,
      "loop.is_innermost and>4 kernel.is_entry and", NULL },
    { SUBJECT_LOOP, "loop.overhead", FACT_NUMBER, &percent, NULL,
      "a number of percent is wanted here, and this is a number of instructions" },
    { SUBJECT_LOOP, "loop.overhead", FACT_NUMBER, &plain, NULL,
      "a plain number is wanted here, and this is a number of instructions" },
    { SUBJECT_LOOP, "loop.share * loop.share", FACT_NUMBER, &percent, NULL,
      "a number of percent is wanted here, and this is a number of percent^2" },
    { SUBJECT_LOOP, "loop.is_innermost", FACT_NUMBER, &percent, NULL,
      "a number is wanted here, and this is a truth" },
    { SUBJECT_LOOP, "loop.depth", FACT_TRUTH, NULL, NULL,
      "a truth is wanted here, and this is a plain number" },
    { SUBJECT_INSTRUCTION, "insn.space", FACT_TRUTH, NULL, NULL,
      "a truth is wanted here, and this is a word (space)" },
};

static void test_expressions(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("the arena is at its limit");
    RuleBuilder builder;                /* one for all: programs stand behind each other */
    ptx_rule_builder_init(&builder, &w->arena);
    for (size_t i = 0; i < COUNT(wholes); i++) {
        const ExprScope scope = scope_of(wholes[i].subject);
        Program out;
        Text got = { 0 };
        ExprError error = { 0 };
        kit_put(&got, "", 0);
        const ExprSource source = { wholes[i].text, strlen(wholes[i].text), wholes[i].type,
                                    wholes[i].unit };
        if (ptx_compile_expression(&builder, &scope, &source, &out, &error))
            put_program(&got, &builder.set, out);
        const char *code = wholes[i].code ? wholes[i].code : "",
                   *said = wholes[i].error ? wholes[i].error : "";
        if (strcmp(got.bytes, code) != 0 || strcmp(error.text, said) != 0)
            fail_msg("%s: %s %s", wholes[i].text, got.bytes, error.text);
        free(got.bytes);
    }
}

/* ---- templates ------------------------------------------------------------------------------- */

/* Text in <>, programs in {}, facts of text by name. */
static void put_template(Text *out, const RuleSet *set, Template template)
{
    for (uint32_t h = 0; h < template.count; h++) {
        const Hole *hole = &set->holes[template.first + h];
        kit_print(out, "<%s>", hole->text);
        if (hole->program.count) {
            assert_true(h + 1 < template.count && hole->fact == FACT__COUNT);
            kit_print(out, "%s{",
                      hole->type == FACT_TRUTH  ? "truth"
                      : hole->type == FACT_WORD ? "word"
                                                : "");
            put_program(out, set, hole->program);
            kit_print(out, "}");
        } else if (h + 1 < template.count) {
            assert_true(hole->type == FACT_TEXT && ptx_fact_info[hole->fact].type == FACT_TEXT);
            kit_print(out, "%s.%s", ptx_scope_text[ptx_fact_info[hole->fact].scope],
                      ptx_fact_info[hole->fact].name);
        } else {
            assert_true(hole->type != FACT_TEXT && hole->fact == FACT__COUNT);
        }
    }
}

static const struct {
    const char *text, *code;
    uint32_t at, length;
    const char *error;
} templates[] = {
    { "", "<>", 0, 0, NULL },
    { "no hole", "<no hole>", 0, 0, NULL },
    { "`{insn.op}` in a loop of depth {loop.depth}",
      "<`>insn.op<` in a loop of depth >{loop.depth}<>", 0, 0, NULL },
    { "{insn.space}{insn.is_load}.", "<>word{insn.space}<>truth{insn.is_load}<.>", 0, 0, NULL },
    { "{{{100 * loop.share / 2}}} and }}", "<{>{100 loop.share * 2 /}<} and }>", 0, 0, NULL },
    { "{ (insn.op) }", "<>insn.op<>", 0, 0, NULL },
    { "{count(loop.instructions: insn is \"ld\")}", "<>{count(loop.instruction/op: is(ld))}<>", 0,
      0, NULL },
    { "a { b", NULL, 2, 1, "this '{' is not closed; a brace in the text is written '{{'" },
    { "a } b", NULL, 2, 1, "no '{' is open here; a brace in the text is written '}}'" },
    { "a {loop.depth {insn.op}", NULL, 2, 1,
      "this '{' is not closed; a brace in the text is written '{{'" },
    { "if (c) { ... }", NULL, 9, 1,
      "'.' means nothing here (a brace in the text is written '{{')" },
    { "a {} b", NULL, 3, 0, "the expression is empty" },
    { "a {insn.o} b", NULL, 3, 6, "unknown fact 'insn.o'; did you mean 'insn.op'?" },
    { "a {insn.op + 1} b", NULL, 3, 7, "'insn.op' is text: it can only stand alone in a message" },
    { "a {insn.split_at} b", NULL, 3, 13,
      "'insn.split_at' is a place: it can only stand in 'at' of 'related'" },
    { "a {\"b\"} c", NULL, 3, 3,
      "a word alone is not a condition: compare it with a fact, as in insn.space == \"global\"" },
    { "a {loop.depth + } b", NULL, 14, 1, "a value is missing behind '+'" },
    { "{loop.depth} {access.bytes}", NULL, 14, 12,
      "'access.bytes' is not seen here: a rule on 'instruction' sees insn, loop, block, kernel, "
      "gpu, module" },
};

static void test_templates(void **state)
{
    World *w = *state;
    const ExprScope scope = scope_of(SUBJECT_INSTRUCTION);
    if (setjmp(w->failure))
        fail_msg("the arena is at its limit");
    RuleBuilder builder;
    ptx_rule_builder_init(&builder, &w->arena);
    for (size_t i = 0; i < COUNT(templates); i++) {
        const uint32_t holes = builder.set.hole_count, codes = builder.set.code_count;
        Template out;
        Text got = { 0 };
        ExprError error = { 0 };
        bool is_good = ptx_compile_template(&builder, &scope, templates[i].text,
                                            strlen(templates[i].text), &out, &error);
        if (is_good)
            put_template(&got, &builder.set, out);
        else
            assert_true(builder.set.hole_count == holes && builder.set.code_count == codes);
        if (is_good != !templates[i].error)
            fail_msg("%s: %s", templates[i].text, error.text);
        if (is_good ? strcmp(got.bytes, templates[i].code) != 0
                    : strcmp(error.text, templates[i].error) != 0 || error.at != templates[i].at
                          || error.length != templates[i].length)
            fail_msg("%s: %s %u+%u: %s", templates[i].text, is_good ? got.bytes : "", error.at,
                     error.length, error.text);
        free(got.bytes);
    }
}

/* ---- any text -------------------------------------------------------------------------------- */

static void test_prefixes(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("the arena is at its limit");
    for (size_t i = 0; i < COUNT(conditions); i++) {
        for (size_t length = 0; length < strlen(conditions[i].text); length++) {
            ArenaMark mark = ptx_arena_mark(&w->arena);
            ExprError error;
            compile(w, conditions[i].subject, conditions[i].text, length, NULL, &error);
            ptx_arena_release(&w->arena, mark);
        }
    }
}

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static const char *const pieces[] = {
    " and true ",
    " or 1 < 2 ",
    " + 1 ",
    " * 2 ",
    " and ",
    " or ",
    "not ",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    " in ",
    " is ",
    "insn",
    "insn.vector",
    "insn.space",
    "\"global\"",
    "\"ld\"",
    "\"",
    "loop.depth",
    "kernel.block_threads",
    "gpu.sms",
    "threshold.threads",
    "any(instructions: ",
    "ever_before(",
    "known(",
    "min(",
    "true",
    "1",
    "2.5",
    "64 threads",
    "4 KiB",
    "25%",
    ".",
    "{",
    "}",
    "\xff",
    "\n",
};

/* Mostly the next blank or the end: pieces there leave more to read than those in a word. */
static size_t find_gap(const Text *text, size_t at, uint32_t chance)
{
    while (chance % 8 && at < text->length && text->bytes[at] != ' ')
        at++;
    return at;
}

/* Some of: a byte put in, a range left out, a piece put in, another one joined. */
static void mutate(Text *text, uint32_t *seed)
{
    for (uint32_t n = next_random(seed) % 3; n < 3; n++) {
        const size_t at = find_gap(text, text->length ? next_random(seed) % text->length : 0,
                                   next_random(seed));
        Text out = { 0 };
        kit_put(&out, text->bytes, at);
        switch (next_random(seed) % 6) {
        case 0:
            kit_print(&out, "%c", (int)(next_random(seed) % 255 + 1));
            kit_put(&out, text->bytes + at, text->length - at);
            break;
        case 1:
            if (text->length > at) {
                const size_t gone = next_random(seed) % (text->length - at);
                kit_put(&out, text->bytes + at + gone, text->length - at - gone);
            }
            break;
        case 2: case 3: case 4: {
            const char *piece = pieces[next_random(seed) % COUNT(pieces)];
            kit_put(&out, piece, strlen(piece));
            kit_put(&out, text->bytes + at, text->length - at);
            break;
        }
        default: {
            const char *other = conditions[next_random(seed) % COUNT(conditions)].text;
            kit_put(&out, text->bytes, text->length);
            kit_print(&out, next_random(seed) % 2 ? " and %s" : " or %s", other);
        }
        }
        free(text->bytes);
        *text = out;
    }
}

/* How many are good nevertheless. */
static uint32_t compile_mutants(World *w, uint32_t count)
{
    uint32_t seed = 12345, good = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Condition *row = &conditions[next_random(&seed) % COUNT(conditions)];
        const ArenaMark mark = ptx_arena_mark(&w->arena);
        const ExprScope scope = scope_of(row->subject);
        RuleBuilder builder;
        Template template;
        ExprError error;
        Text text = { 0 };
        kit_print(&text, "%s", row->text);
        mutate(&text, &seed);
        good += compile(w, row->subject, text.bytes, text.length, NULL, &error);
        kit_print(&text, "}");
        ptx_rule_builder_init(&builder, &w->arena);
        ptx_compile_template(&builder, &scope, text.bytes, text.length, &template, &error);
        ptx_arena_release(&w->arena, mark);
        free(text.bytes);
    }
    return good;
}

static void test_mutations(void **state)
{
    World *w = *state;
    if (setjmp(w->failure))
        fail_msg("the arena is at its limit");
    const uint32_t good = compile_mutants(w, 20000);
    if (good < 500)
        fail_msg("%u: too wild to reach the later steps", good);
}

UNIT(rule_language)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_conditions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unit_power, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_constants, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_zero_byte, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_expressions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_templates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_prefixes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mutations, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
