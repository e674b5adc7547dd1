/*
 * options.h: the options of `set -o` and `shopt`, as one table each.
 *
 * X(id, name, letter, default): letter is that of `set -x`, 0 for none.
 */
#ifndef SH_OPTIONS_H
#define SH_OPTIONS_H

#define SET_OPTIONS(X)                                                                             \
    X(ALLEXPORT, "allexport", 'a', 0)                                                              \
    X(BRACEEXPAND, "braceexpand", 'B', 1)                                                          \
    X(EMACS, "emacs", 0, 0)                                                                        \
    X(ERREXIT, "errexit", 'e', 0)                                                                  \
    X(ERRTRACE, "errtrace", 'E', 0)                                                                \
    X(FUNCTRACE, "functrace", 'T', 0)                                                              \
    X(HASHALL, "hashall", 'h', 1)                                                                  \
    X(HISTEXPAND, "histexpand", 'H', 0)                                                            \
    X(HISTORY, "history", 0, 0)                                                                    \
    X(IGNOREEOF, "ignoreeof", 0, 0)                                                                \
    X(INTERACTIVE_COMMENTS, "interactive-comments", 0, 1)                                          \
    X(KEYWORD, "keyword", 'k', 0)                                                                  \
    X(MONITOR, "monitor", 'm', 0)                                                                  \
    X(NOCLOBBER, "noclobber", 'C', 0)                                                              \
    X(NOEXEC, "noexec", 'n', 0)                                                                    \
    X(NOGLOB, "noglob", 'f', 0)                                                                    \
    X(NOLOG, "nolog", 0, 0)                                                                        \
    X(NOTIFY, "notify", 'b', 0)                                                                    \
    X(NOUNSET, "nounset", 'u', 0)                                                                  \
    X(ONECMD, "onecmd", 't', 0)                                                                    \
    X(PHYSICAL, "physical", 'P', 0)                                                                \
    X(PIPEFAIL, "pipefail", 0, 0)                                                                  \
    X(POSIX, "posix", 0, 0)                                                                        \
    X(PRIVILEGED, "privileged", 'p', 0)                                                            \
    X(VERBOSE, "verbose", 'v', 0)                                                                  \
    X(VI, "vi", 0, 0)                                                                              \
    X(XTRACE, "xtrace", 'x', 0)

#define SHOPT_OPTIONS(X)                                                                           \
    X(AUTOCD, "autocd", 0)                                                                         \
    X(ASSOC_EXPAND_ONCE, "assoc_expand_once", 0)                                                   \
    X(CDABLE_VARS, "cdable_vars", 0)                                                               \
    X(CDSPELL, "cdspell", 0)                                                                       \
    X(CHECKHASH, "checkhash", 0)                                                                   \
    X(CHECKJOBS, "checkjobs", 0)                                                                   \
    X(CHECKWINSIZE, "checkwinsize", 1)                                                             \
    X(CMDHIST, "cmdhist", 1)                                                                       \
    X(COMPAT31, "compat31", 0)                                                                     \
    X(COMPAT32, "compat32", 0)                                                                     \
    X(COMPAT40, "compat40", 0)                                                                     \
    X(COMPAT41, "compat41", 0)                                                                     \
    X(COMPAT42, "compat42", 0)                                                                     \
    X(COMPAT43, "compat43", 0)                                                                     \
    X(COMPAT44, "compat44", 0)                                                                     \
    X(COMPLETE_FULLQUOTE, "complete_fullquote", 1)                                                 \
    X(DIREXPAND, "direxpand", 0)                                                                   \
    X(DIRSPELL, "dirspell", 0)                                                                     \
    X(DOTGLOB, "dotglob", 0)                                                                       \
    X(EXECFAIL, "execfail", 0)                                                                     \
    X(EXPAND_ALIASES, "expand_aliases", 0)                                                         \
    X(EXTDEBUG, "extdebug", 0)                                                                     \
    X(EXTGLOB, "extglob", 0)                                                                       \
    X(EXTQUOTE, "extquote", 1)                                                                     \
    X(FAILGLOB, "failglob", 0)                                                                     \
    X(FORCE_FIGNORE, "force_fignore", 1)                                                           \
    X(GLOBASCIIRANGES, "globasciiranges", 1)                                                       \
    X(GLOBSKIPDOTS, "globskipdots", 1)                                                             \
    X(GLOBSTAR, "globstar", 0)                                                                     \
    X(GNU_ERRFMT, "gnu_errfmt", 0)                                                                 \
    X(HISTAPPEND, "histappend", 0)                                                                 \
    X(HISTREEDIT, "histreedit", 0)                                                                 \
    X(HISTVERIFY, "histverify", 0)                                                                 \
    X(HOSTCOMPLETE, "hostcomplete", 1)                                                             \
    X(HUPONEXIT, "huponexit", 0)                                                                   \
    X(INHERIT_ERREXIT, "inherit_errexit", 0)                                                       \
    X(INTERACTIVE_COMMENTS, "interactive_comments", 1)                                             \
    X(LASTPIPE, "lastpipe", 0)                                                                     \
    X(LITHIST, "lithist", 0)                                                                       \
    X(LOCALVAR_INHERIT, "localvar_inherit", 0)                                                     \
    X(LOCALVAR_UNSET, "localvar_unset", 0)                                                         \
    X(LOGIN_SHELL, "login_shell", 0)                                                               \
    X(MAILWARN, "mailwarn", 0)                                                                     \
    X(NO_EMPTY_CMD_COMPLETION, "no_empty_cmd_completion", 0)                                       \
    X(NOCASEGLOB, "nocaseglob", 0)                                                                 \
    X(NOCASEMATCH, "nocasematch", 0)                                                               \
    X(NOEXPAND_TRANSLATION, "noexpand_translation", 0)                                             \
    X(NULLGLOB, "nullglob", 0)                                                                     \
    X(PATSUB_REPLACEMENT, "patsub_replacement", 1)                                                 \
    X(PROGCOMP, "progcomp", 1)                                                                     \
    X(PROGCOMP_ALIAS, "progcomp_alias", 0)                                                         \
    X(PROMPTVARS, "promptvars", 1)                                                                 \
    X(RESTRICTED_SHELL, "restricted_shell", 0)                                                     \
    X(SHIFT_VERBOSE, "shift_verbose", 0)                                                           \
    X(SOURCEPATH, "sourcepath", 1)                                                                 \
    X(VARREDIR_CLOSE, "varredir_close", 0)                                                         \
    X(XPG_ECHO, "xpg_echo", 0)

enum set_option {
#define X(id, name, letter, on) OPT_##id,
    SET_OPTIONS(X)
#undef X
    OPT_COUNT
};

enum shopt_option {
#define X(id, name, on) SHOPT_##id,
    SHOPT_OPTIONS(X)
#undef X
    SHOPT_COUNT
};

struct shell;
void option_init(struct shell *sh); /* All options as a new shell has them. */
int option_find(const char *name);    /* set -o NAME; -1 none */
int option_letter(char letter);       /* -1 none */
/* set -o or +o, with all that depends on it. */
void option_set(struct shell *sh, int option, bool on);
const char *option_name(int option); /* The name as set -o takes it. */
char option_letter_of(int option); /* The letter; 0: it has none. */
int shopt_find(const char *name); /* shopt NAME; -1 none. */
const char *shopt_name(int option); /* The name as shopt takes it. */
void option_flags(const struct shell *sh, sb *out); /* $- */
void option_list(const struct shell *sh, bool shopts, sb *out); /* SHELLOPTS, BASHOPTS */

#endif
