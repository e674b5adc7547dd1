/*
 * rg_types.c: the names of file types and the globs they stand for.
 */
#include "rg.h"
#include "g_out.h"

#include <ctype.h>
#include <stdlib.h>

static const struct {
    const char *name, *globs; /* separated by spaces */
} types[] = {{"asm", "*.S *.asm *.s"},
             {"awk", "*.awk"},
             {"bat", "*.bat"},
             {"c", "*.[chH] *.[chH].in *.cats"},
             {"clojure", "*.clj *.cljc *.cljs *.cljx"},
             {"cmake", "*.cmake CMakeLists.txt"},
             {"coffeescript", "*.coffee"},
             {"config", "*.cfg *.conf *.config *.ini"},
             {"cpp", "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in "
                     "*.hh *.hh.in *.inl"},
             {"cs", "*.cs"},
             {"csharp", "*.cs"},
             {"css", "*.css *.scss"},
             {"csv", "*.csv"},
             {"d", "*.d"},
             {"dart", "*.dart"},
             {"diff", "*.diff *.patch"},
             {"docker", "*Dockerfile*"},
             {"elisp", "*.el"},
             {"elixir", "*.eex *.ex *.exs"},
             {"elm", "*.elm"},
             {"erlang", "*.erl *.hrl"},
             {"fish", "*.fish"},
             {"fortran", "*.F *.F77 *.F90 *.F95 *.f *.f77 *.f90 *.f95 *.pfo"},
             {"fsharp", "*.fs *.fsi *.fsx"},
             {"go", "*.go"},
             {"gradle", "*.gradle"},
             {"graphql", "*.graphql *.graphqls"},
             {"groovy", "*.gradle *.groovy"},
             {"gzip", "*.gz *.tgz"},
             {"h", "*.h *.hpp"},
             {"haskell", "*.c2hs *.cpphs *.hs *.hsc *.lhs"},
             {"hs", "*.hs *.lhs"},
             {"html", "*.ejs *.htm *.html"},
             {"java", "*.java *.jsp *.jspx *.properties"},
             {"jinja", "*.j2 *.jinja *.jinja2"},
             {"jl", "*.jl"},
             {"js", "*.js *.jsx *.vue"},
             {"json", "*.json composer.lock"},
             {"jsonl", "*.jsonl"},
             {"julia", "*.jl"},
             {"jupyter", "*.ipynb *.jpynb"},
             {"kotlin", "*.kt *.kts"},
             {"less", "*.less"},
             {"lisp", "*.el *.jl *.lisp *.lsp *.sc *.scm"},
             {"lock", "*.lock package-lock.json"},
             {"log", "*.log"},
             {"lua", "*.lua"},
             {"make", "*.mak *.mk [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am "
                      "[Gg][Nn][Uu]makefile.in [Mm]akefile [Mm]akefile.am [Mm]akefile.in"},
             {"markdown", "*.markdown *.md *.mdown *.mkdn"},
             {"md", "*.markdown *.md *.mdown *.mkdn"},
             {"mk", "mkfile"},
             {"ml", "*.ml"},
             {"nix", "*.nix"},
             {"objc", "*.h *.m"},
             {"ocaml", "*.ml *.mli *.mll *.mly"},
             {"org", "*.org *.org_archive"},
             {"pdf", "*.pdf"},
             {"perl", "*.PL *.perl *.pl *.plh *.plx *.pm *.t"},
             {"php", "*.php *.php3 *.php4 *.php5 *.phtml"},
             {"protobuf", "*.proto"},
             {"ps", "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1"},
             {"py", "*.py"},
             {"r", "*.R *.Rmd *.Rnw *.r"},
             {"readme", "*README README*"},
             {"rst", "*.rst"},
             {"ruby", "*.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru"},
             {"rust", "*.rs"},
             {"sass", "*.sass *.scss"},
             {"scala", "*.sbt *.scala"},
             {"sh", "*.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login "
                    ".bash_logout .bash_profile .bashrc .cshrc "
                    ".kshrc .login .logout .profile .tcshrc .zlogin .zlogout .zprofile .zshenv "
                    ".zshrc bash_login bash_logout bash_profile "
                    "bashrc profile zlogin zlogout zprofile zshenv zshrc"},
             {"sql", "*.psql *.sql"},
             {"svelte", "*.svelte"},
             {"svg", "*.svg"},
             {"swift", "*.swift"},
             {"tcl", "*.tcl"},
             {"tex", "*.bib *.cls *.dtx *.ins *.ltx *.sty *.tex"},
             {"tf", "*.tf"},
             {"thrift", "*.thrift"},
             {"toml", "*.toml Cargo.lock"},
             {"ts", "*.ts *.tsx"},
             {"txt", "*.txt"},
             {"typescript", "*.ts *.tsx"},
             {"verilog", "*.sv *.svh *.v *.vh"},
             {"vhdl", "*.vhd *.vhdl"},
             {"vim", "*.vim"},
             {"vue", "*.vue"},
             {"xml", "*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt"},
             {"xz", "*.txz *.xz"},
             {"yacc", "*.y"},
             {"yaml", "*.yaml *.yml"},
             {"zig", "*.zig"},
             {"zstd", "*.zst *.zstd"}};

/* What --type-add and --type-clear said. */
static struct {
    const char *name;
    char *globs; /* separated by spaces; NULL: the type's own are cleared */
} *changes;
static size_t change_count, change_cap;

static void change(const char *name, char *globs) {
    if (change_count == change_cap) changes = g_more(changes, &change_cap, sizeof *changes);
    changes[change_count].name = name;
    changes[change_count++].globs = globs;
}

static void add_globs(const char *p, g_text *globs) {
    for (; *p; p += *p == ' ') {
        size_t len = strcspn(p, " ");
        g_text_add(globs, p, len);
        g_text_addc(globs, '\0');
        p += len;
    }
}

static bool is_cleared(const char *name) {
    for (size_t i = 0; i < change_count; i++)
        if (!changes[i].globs && strcmp(changes[i].name, name) == 0) return true;
    return false;
}

bool rg_type_globs(const char *name, g_text *globs) {
    bool all = strcmp(name, "all") == 0, found = all;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if ((!all && strcmp(types[i].name, name) != 0) || is_cleared(types[i].name)) continue;
        found = true;
        add_globs(types[i].globs, globs);
    }
    for (size_t i = 0; i < change_count; i++) {
        if ((!all && strcmp(changes[i].name, name) != 0) || !changes[i].globs) continue;
        found = true;
        add_globs(changes[i].globs, globs);
    }
    return found;
}

void rg_type_clear(const char *name) {
    change(name, NULL);
}

bool rg_type_add(const char *definition) {
    size_t len = 0;
    while (isalnum((unsigned char)definition[len])) len++;
    if (len == 0 || definition[len] != ':' || !definition[len + 1]) return false;
    char *name = g_copy_bytes(definition, len);
    const char *rest = definition + len + 1;
    if (strcmp(name, "all") == 0) return false;
    if (strncmp(rest, "include:", 8) != 0) {
        if (strchr(rest, ':')) return false;
        change(name, g_copy_string(rest));
        return true;
    }
    for (const char *p = rest + 8; *p; p += *p == ',') {
        len = strcspn(p, ",");
        char *other = g_copy_bytes(p, len);
        g_text globs = {0};
        if (!rg_type_globs(other, &globs)) return false;
        for (size_t i = 0; i + 1 < globs.len; i++)
            if (!globs.s[i]) globs.s[i] = ' ';
        free(other);
        change(name, globs.s);
        p += len;
    }
    return true;
}

void rg_type_list(void) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (is_cleared(types[i].name)) continue;
        g_outf("%s: ", types[i].name);
        for (const char *p = types[i].globs; *p; p++)
            g_outs(*p == ' ' ? ", " : (char[2]){*p, '\0'});
        g_outc('\n');
    }
}
