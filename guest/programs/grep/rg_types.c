/*
 * rg_types.c: the names of file types and the globs they stand for.
 */
#include "rg.h"
#include "g_out.h"

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

bool rg_type_globs(const char *name, g_text *globs) {
    bool all = strcmp(name, "all") == 0, found = all;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!all && strcmp(types[i].name, name) != 0) continue;
        found = true;
        for (const char *p = types[i].globs; *p; p += *p == ' ') {
            size_t len = strcspn(p, " ");
            g_text_add(globs, p, len);
            g_text_addc(globs, '\0');
            p += len;
        }
    }
    return found;
}

void rg_type_list(void) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        g_outf("%s: ", types[i].name);
        for (const char *p = types[i].globs; *p; p++)
            g_outs(*p == ' ' ? ", " : (char[2]){*p, '\0'});
        g_outc('\n');
    }
}
