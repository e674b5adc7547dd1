/*
 * make_builtin.c: the rules and variables that are there before any makefile.
 *
 * Those of POSIX, and of GNU make what still has a program: there is no archive, SCCS, RCS, TeX.
 */
#include "make.h"

#include <stdlib.h>

static const struct {
    const char *target, *deps, *recipe;
} builtin[] = {
    {"%", "%.o", "$(LINK.o) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {"%", "%.c", "$(LINK.c) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {"%", "%.cc", "$(LINK.cc) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {"%", "%.C", "$(LINK.C) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {"%", "%.cpp", "$(LINK.cpp) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {"%", "%.f", "$(LINK.f) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {"%", "%.s", "$(LINK.s) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {"%", "%.S", "$(LINK.S) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
    {"%", "%.sh", "cat $< >$@ \n chmod a+x $@"},
    {"%.o", "%.c", "$(COMPILE.c) $(OUTPUT_OPTION) $<"},
    {"%.o", "%.cc", "$(COMPILE.cc) $(OUTPUT_OPTION) $<"},
    {"%.o", "%.C", "$(COMPILE.C) $(OUTPUT_OPTION) $<"},
    {"%.o", "%.cpp", "$(COMPILE.cpp) $(OUTPUT_OPTION) $<"},
    {"%.o", "%.f", "$(COMPILE.f) $(OUTPUT_OPTION) $<"},
    {"%.o", "%.s", "$(COMPILE.s) -o $@ $<"},
    {"%.o", "%.S", "$(COMPILE.S) -o $@ $<"},
    {"%.c", "%.y", "$(YACC.y) $< \n mv -f y.tab.c $@"},
    {"%.c", "%.l", "@$(RM) $@ \n $(LEX.l) $< > $@"},
    {"%.s", "%.c", "$(COMPILE.c) -S $< -o $@"},
    {"%.i", "%.c", "$(PREPROCESS.c) $< -o $@"},
};

static const char *const suffixes = ".out .a .ln .o .c .cc .C .cpp .p .f .F .m .r .y .l .ym .yl .s "
                                    ".S .mod .sym .def .h .info .dvi .tex "
                                    ".texinfo .texi .txinfo .w .ch .web .sh .elc .el";

static const char *const variables[][2] = {
    {"AR", "ar"},
    {"ARFLAGS", "rv"},
    {"AS", "as"},
    {"CC", "cc"},
    {"CXX", "g++"},
    {"CPP", "$(CC) -E"},
    {"FC", "f77"},
    {"F77", "$(FC)"},
    {"F77FLAGS", "$(FFLAGS)"},
    {"LD", "ld"},
    {"LEX", "lex"},
    {"YACC", "yacc"},
    {"RM", "rm -f"},
    {"MAKEINFO", "makeinfo"},
    {"TEX", "tex"},
    {"GET", "get"},
    {"LINT", "lint"},
    {"PC", "pc"},
    {"CO", "co"},
    {"OUTPUT_OPTION", "-o $@"},
    {"COMPILE.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"},
    {"COMPILE.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c"},
    {"COMPILE.C", "$(COMPILE.cc)"},
    {"COMPILE.cpp", "$(COMPILE.cc)"},
    {"COMPILE.f", "$(FC) $(FFLAGS) $(TARGET_ARCH) -c"},
    {"COMPILE.s", "$(AS) $(ASFLAGS) $(TARGET_MACH)"},
    {"COMPILE.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(TARGET_MACH) -c"},
    {"LINK.o", "$(CC) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.c", "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.cc", "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.C", "$(LINK.cc)"},
    {"LINK.cpp", "$(LINK.cc)"},
    {"LINK.f", "$(FC) $(FFLAGS) $(LDFLAGS) $(TARGET_ARCH)"},
    {"LINK.s", "$(CC) $(ASFLAGS) $(LDFLAGS) $(TARGET_MACH)"},
    {"LINK.S", "$(CC) $(ASFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_MACH)"},
    {"PREPROCESS.c", "$(CC) $(CPPFLAGS) -E"},
    {"YACC.y", "$(YACC) $(YFLAGS)"},
    {"LEX.l", "$(LEX) $(LFLAGS) -t"},
};

static const char *const folder_variables[][2] = {
    {"@D", "$(patsubst %/,%,$(dir $@))"}, {"@F", "$(notdir $@)"},
    {"<D", "$(patsubst %/,%,$(dir $<))"}, {"<F", "$(notdir $<)"},
    {"^D", "$(patsubst %/,%,$(dir $^))"}, {"^F", "$(notdir $^)"},
    {"+D", "$(patsubst %/,%,$(dir $+))"}, {"+F", "$(notdir $+)"},
    {"?D", "$(patsubst %/,%,$(dir $?))"}, {"?F", "$(notdir $?)"},
    {"*D", "$(patsubst %/,%,$(dir $*))"}, {"*F", "$(notdir $*)"},
    {"%D", "$(patsubst %/,%,$(dir $%))"}, {"%F", "$(notdir $%)"},
};

static void set(const char *name, const char *value, enum origin origin, bool recursive) {
    variable_set(&global_scope, name, strlen(name), value, origin, recursive);
}

void builtin_variables(void) {
    for (size_t i = 0; i < sizeof folder_variables / sizeof *folder_variables; i++)
        set(folder_variables[i][0], folder_variables[i][1], FROM_AUTOMATIC, true);
    if (opt.no_builtin_variables) return;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        set(variables[i][0], variables[i][1], FROM_DEFAULT, true);
}

void builtin_rules(void) {
    target *t = target_get(".SUFFIXES", 9);
    t->is_target = true;
    set("SUFFIXES", opt.no_builtin_rules ? "" : suffixes, FROM_DEFAULT, false);
    if (opt.no_builtin_rules) return;
    deps_parse(&t->deps, suffixes, NULL);
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin; i++) {
        char **patterns = g_resize(NULL, 1, sizeof *patterns);
        recipe *r = g_zalloc(sizeof *r);
        patterns[0] = g_copy_string(builtin[i].target);
        r->where = (place){"<builtin>", 0};
        r->lines = g_resize(NULL, 1, sizeof *r->lines);
        r->lines[r->count++] = g_copy_string(builtin[i].recipe);
        rule_add_pattern(patterns, 1, builtin[i].deps, "", r, r->where, false, true);
    }
}
