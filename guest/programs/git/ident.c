/*
 * ident.c: who and when, as git decides it: GIT_AUTHOR_* and GIT_COMMITTER_*, then user.* (and author.*,
 * committer.*), then EMAIL. The clock is the sandbox's.
 */
#include "git.h"

#include <ctype.h>
#include <unistd.h>

static char *variable(const char *role, const char *what) {
    char name[40];
    snprintf(name, sizeof name, "GIT_%s_%s", role, what);
    const char *value = getenv(name);
    return value ? g_copy_string(value) : NULL;
}

static char *setting(const char *role, const char *what) {
    char name[40];
    snprintf(name, sizeof name, "%s.%s", strcmp(role, "AUTHOR") == 0 ? "author" : "committer", what);
    char *value = config_string(name);
    if (value) return value;
    snprintf(name, sizeof name, "user.%s", what);
    return config_string(name);
}

/* Without what no identity may begin or end with, or hold. */
static char *tidy(const char *text) {
    static const char crud[] = ".,:;<>\"\\'";
    size_t start = 0, end = strlen(text);
    g_text out = {0};
    while (start < end && ((unsigned char)text[start] <= 32 || strchr(crud, text[start]))) start++;
    while (end > start && ((unsigned char)text[end - 1] <= 32 || strchr(crud, text[end - 1]))) end--;
    g_text_adds(&out, "");
    for (; start < end; start++)
        if (!strchr("<>\n", text[start])) g_text_addc(&out, text[start]);
    return out.s;
}

static _Noreturn void who(const char *role, bool name) {
    char host[100] = "";
    gethostname(host, sizeof host - 1);
    const char *user = getenv("USER");
    note("%s identity unknown\n\n*** Please tell me who you are.\n\nRun\n\n"
         "  git config --global user.email \"you@example.com\"\n"
         "  git config --global user.name \"Your Name\"\n\n"
         "to set your account's default identity.\n"
         "Omit --global to set the identity only in this repository.\n",
         strcmp(role, "AUTHOR") == 0 ? "Author" : "Committer");
    if (name) die("empty ident name (for <%s@%s>) not allowed", user ? user : "user", host);
    die("unable to auto-detect email address (got '%s@%s.(none)')", user ? user : "user", host);
}

static git_signature *identity(const char *role, bool must) {
    char *name = variable(role, "NAME"), *email = variable(role, "EMAIL"), *date = variable(role, "DATE");
    git_signature *out;
    git_time when;
    if (!name) name = setting(role, "name");
    if (!email) email = setting(role, "email");
    if (!email && getenv("EMAIL")) email = g_copy_string(getenv("EMAIL"));
    if (!email && must) who(role, false);
    if (!name && must) who(role, true);
    char *clean = tidy(name ? name : "unknown"), *mail = tidy(email ? email : "unknown");
    if (!*clean && must) {
        if (name && *name) die("name consists only of disallowed characters: %s", name);
        die("empty ident name (for <%s>) not allowed", mail);
    }
    check(git_signature_now(&out, *clean ? clean : "unknown", *mail ? mail : "unknown"));
    if (!*mail) *out->email = '\0';
    if (date && *date) {
        if (!parse_date(date, &when)) die("invalid date format: %s", date);
        out->when = when;
    }
    return out;
}

git_signature *author_now(void) { return identity("AUTHOR", true); }
git_signature *committer_now(void) { return identity("COMMITTER", true); }
git_signature *committer_for_log(void) { return identity("COMMITTER", false); }

git_signature *ident_parse(const char *text) {
    const char *open = strchr(text, '<'), *close = open ? strchr(open, '>') : NULL;
    git_signature *out = NULL;
    if (!close) return NULL;
    char *name = g_copy_bytes(text, (size_t)(open - text));
    char *mail = g_copy_bytes(open + 1, (size_t)(close - open - 1));
    char *clean = tidy(name);
    git_signature_now(&out, *clean ? clean : "x", *mail ? mail : "x");
    if (out && !*mail) *out->email = '\0';
    return out;
}
