/*
 * variable.c: the variables that exist from the start, and what a change to them does.
 */
#include "code.h"
#include "lex.h"
#include "machine.h"

#include <stdlib.h>
#include <unistd.h>

extern char **environ;

static struct program *prog;

static void set(enum special which, value v) {
    awk.globals[which] = v;
}

static void set_element(awk_array *array, const char *name, value v) {
    value_assign(array_at_text(array, name, strlen(name)), v);
}

static value new_array(void) {
    return (value){.array = array_new(), .kind = ARRAY};
}

static void fill_environ(awk_array *array) {
    for (char **e = environ; *e; e++) {
        const char *equals = strchr(*e, '=');
        if (!equals) continue;
        value_assign(array_at_text(array, *e, (size_t)(equals - *e)),
                     value_input(text_ofs(equals + 1)));
    }
}

static void fill_procinfo(awk_array *info, int argc, char **argv) {
    const struct {
        const char *name;
        double n;
    } numbers[] = {{"pid", getpid()},   {"ppid", getppid()}, {"uid", getuid()},
                   {"euid", geteuid()}, {"gid", getgid()},   {"egid", getegid()}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        set_element(info, numbers[i].name, value_number(numbers[i].n));
    set_element(info, "FS", value_text(text_ofs("FS")));
    set_element(info, "platform", value_text(text_ofs("posix")));
    set_element(info, "strftime", value_text(text_ofs("%a %b %e %H:%M:%S %Z %Y")));
    set_element(info, "version", value_text(text_ofs("5.2.1")));
    value args = new_array();
    for (int i = 0; i < argc; i++) *array_at_int(args.array, i) = value_text(text_ofs(argv[i]));
    set_element(info, "argv", args);
}

void variables_begin(struct program *p, int argc, char **argv, const char *name) {
    prog = p;
    awk.global_count = p->global_count;
    awk.globals = g_alloc(p->global_count * sizeof *awk.globals);
    for (size_t i = 0; i < p->global_count; i++) awk.globals[i] = value_unset();
    static const struct {
        uint8_t which;
        const char *text;
    } texts[] = {{V_FS, " "},
                 {V_OFS, " "},
                 {V_ORS, "\n"},
                 {V_RS, "\n"},
                 {V_CONVFMT, "%.6g"},
                 {V_OFMT, "%.6g"},
                 {V_SUBSEP, "\034"},
                 {V_FIELDWIDTHS, ""},
                 {V_FPAT, "[^[:space:]]+"},
                 {V_TEXTDOMAIN, "messages"},
                 {V_FILENAME, ""},
                 {V_ERRNO, ""},
                 {V_RT, ""}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        set(texts[i].which, value_text(text_ofs(texts[i].text)));
    static const uint8_t zeros[] = {V_NF,      V_NR,   V_FNR,    V_IGNORECASE,
                                    V_BINMODE, V_LINT, V_RSTART, V_ARGIND};
    for (size_t i = 0; i < sizeof zeros; i++) set(zeros[i], value_number(0));
    set(V_RLENGTH, value_number(-1));
    set(V_ENVIRON, new_array());
    fill_environ(awk.globals[V_ENVIRON].array);
    set(V_PROCINFO, new_array());
    fill_procinfo(awk.globals[V_PROCINFO].array, argc, argv);
    set(V_FUNCTAB, new_array());
    for (size_t i = 0; i < p->function_count; i++)
        set_element(awk.globals[V_FUNCTAB].array, p->functions[i].name->s,
                    value_text(text_keep(p->functions[i].name)));
    set(V_ARGV, new_array());
    *array_at_int(awk.globals[V_ARGV].array, 0) = value_text(text_ofs(name));
    awk.convfmt = text_ofs("%.6g");
    awk.ofmt = text_ofs("%.6g");
    awk.subsep = text_ofs("\034");
    awk.ofs = text_ofs(" ");
    awk.ors = text_ofs("\n");
    input_rs_changed();
    split_fs_changed(V_FS);
}

void run_sync_special(int special) {
    double n;
    switch (special) {
    case V_NF: n = (double)record_nf(); break;
    case V_NR: n = (double)awk.nr; break;
    case V_FNR: n = (double)awk.fnr; break;
    default: return;
    }
    value *v = &awk.globals[special];
    if (v->kind == NUMBER)
        v->num = n;
    else
        value_assign(v, value_number(n));
}

static void copy_text(awk_text **to, value *v) {
    awk_text *old = *to;
    *to = value_to_text(v, awk.convfmt);
    text_drop(old);
}

void run_special_changed(int special) {
    value *v = &awk.globals[special];
    size_t len;
    switch (special) {
    case V_NF: record_set_nf(trunc(value_to_number(v))); break;
    case V_NR: awk.nr = (int64_t)value_to_number(v); break;
    case V_FNR: awk.fnr = (int64_t)value_to_number(v); break;
    case V_OFS:
        record_bytes(&len); /* a changed record is joined by the old one */
        copy_text(&awk.ofs, v);
        break;
    case V_ORS: copy_text(&awk.ors, v); break;
    case V_CONVFMT: copy_text(&awk.convfmt, v); break;
    case V_OFMT: copy_text(&awk.ofmt, v); break;
    case V_SUBSEP: copy_text(&awk.subsep, v); break;
    case V_RS:
        input_rs_changed();
        split_fs_changed(V_RS);
        break;
    case V_IGNORECASE:
        awk.ignore_case = value_is_true(v);
        input_rs_changed();
        split_fs_changed(V_IGNORECASE);
        break;
    case V_FS:
    case V_FPAT:
    case V_FIELDWIDTHS:
        split_fs_changed(special);
        set_element(awk.globals[V_PROCINFO].array, "FS", value_text(text_ofs(split_mode_name())));
        break;
    }
}

void awk_assign_operand(const char *operand) {
    const char *equals = strchr(operand, '=');
    size_t len = (size_t)(equals - operand);
    if (builtin_named(operand, len) >= 0)
        awk_fatal("cannot use gawk builtin `%.*s' as variable name", (int)len, operand);
    if (run_find_function(operand, len) >= 0)
        awk_fatal("cannot use function `%.*s' as variable name", (int)len, operand);
    for (size_t i = 0; i < prog->global_count; i++) {
        const awk_text *name = prog->global_names[i];
        if (name->len != len || memcmp(name->s, operand, len) != 0) continue;
        value v = value_input(lex_unescape(equals + 1, strlen(equals + 1), NULL));
        place_store(i < V_SPECIALS ? AT_SPECIAL : AT_GLOBAL, (int)i, NULL, v);
        return;
    }
}
