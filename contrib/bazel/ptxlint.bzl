"""Rules for Bazel: ptxlint on PTX, an action a file, so that remote execution and its cache spread a corpus.

ptxlint_test checks files and fails as ptxlint does. ptxlint_aspect writes SARIF for the PTX among the sources of any target:

    bazel build --aspects=//contrib/bazel:ptxlint.bzl%ptxlint_aspect --output_groups=ptxlint //...

The program is an input like any other: a label of a binary, as of a release (tools/release.sh).
"""

_PROGRAM = attr.label(
    default = Label("//contrib/bazel:ptxlint"),
    allow_single_file = True,
    cfg = "exec",
    doc = "The program.",
)

def _sarif(ctx, program, options, file):
    """One action: SARIF of a file. Findings do not fail it; what cannot be read does."""
    out = ctx.actions.declare_file(file.short_path.replace("../", "").replace("/", "_") + ".sarif")
    ctx.actions.run_shell(
        outputs = [out],
        inputs = [file],
        tools = [program],
        mnemonic = "Ptxlint",
        progress_message = "ptxlint %s" % file.short_path,
        command = '"$1" --no-config --format sarif --output "$2" "${@:4}" "$3" || [ $? -eq 1 ]',
        arguments = [program.path, out.path, file.path] + options,
    )
    return out

def _ptxlint_aspect_impl(_target, ctx):
    files = [file for src in getattr(ctx.rule.attr, "srcs", []) for file in src.files.to_list() if file.extension == "ptx"]
    outs = [_sarif(ctx, ctx.file._ptxlint, [], file) for file in files]
    return [OutputGroupInfo(ptxlint = depset(outs))]

ptxlint_aspect = aspect(
    implementation = _ptxlint_aspect_impl,
    attr_aspects = ["srcs", "deps"],
    attrs = {"_ptxlint": _PROGRAM},
    doc = "SARIF of each PTX file among the sources of a target.",
)

def _ptxlint_test_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    words = [ctx.file.ptxlint.short_path, "--no-config"] + ctx.attr.options + [file.short_path for file in ctx.files.srcs]
    ctx.actions.write(script, "#!/bin/sh\nexec " + " ".join(["'%s'" % word.replace("'", "'\\''") for word in words]) + "\n", is_executable = True)
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles(files = ctx.files.srcs + [ctx.file.ptxlint]))]

ptxlint_test = rule(
    implementation = _ptxlint_test_impl,
    test = True,
    attrs = {
        "srcs": attr.label_list(allow_files = [".ptx"], mandatory = True, doc = "PTX files."),
        "options": attr.string_list(doc = "Options of ptxlint."),
        "ptxlint": _PROGRAM,
    },
    doc = "Fails where ptxlint has a warning or an error.",
)
