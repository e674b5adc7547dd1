/*
 * transform.c: ${x@U} and its kin, and prompts (PS1 PS2 PS4, ${x@P}).
 */
#include "sh.h"

#include <pwd.h>
#include <time.h>
#include <unistd.h>
#include <wctype.h>

/* ------------------------------------------------------------------ case */

static char *map_case(struct shell *sh, const char *s, char letter) {
    sb out = sb_in(&sh->tmp);
    size_t n = strlen(s);
    for (size_t i = 0; i < n;) {
        int len;
        uint32_t c = u8_decode(s + i, n - i, &len);
        bool first = i == 0, valid = len > 1 || c < 0x80;
        bool up = letter == 'U' || ((letter == 'u' || letter == 'C') && first);
        bool down = letter == 'L' || (letter == 'C' && !first);
        if (valid && (up || down)) {
            char text[6];
            uint32_t d = (uint32_t)(up ? towupper((wint_t)c) : towlower((wint_t)c));
            sb_put(&out, text, (size_t)u8_encode(d, text));
        } else {
            sb_put(&out, s + i, (size_t)len);
        }
        i += (size_t)len;
    }
    return sb_str(&out);
}

char *transform_value(struct shell *sh, const char *value, char letter) {
    sb out = sb_in(&sh->tmp);
    switch (letter) {
    case 'Q':
        if (quote_needs_dollar(value)) quote_dollar(&out, value);
        else quote_single(&out, value);
        return sb_str(&out);
    case 'E':
        quote_unescape(&out, value, strlen(value), '$');
        return sb_str(&out);
    case 'P': return prompt_expand(sh, value);
    default: return map_case(sh, value, letter);
    }
}

/* ------------------------------------------------------------------ prompts */

/* Text that parameter expansion must leave alone. */
static void put_literal(sb *out, const char *s) {
    for (; *s; s++) {
        if (strchr("$`\\\"", *s)) sb_putc(out, '\\');
        sb_putc(out, *s);
    }
}

static void put_time(sb *out, const char *format) {
    char text[256];
    time_t now = time(NULL);
    struct tm tm;
    localtime_r(&now, &tm);
    if (strftime(text, sizeof text, format, &tm) > 0) put_literal(out, text);
}

/* \w and \W: HOME is ~ ; PROMPT_DIRTRIM keeps the last components. */
static void put_directory(struct shell *sh, sb *out, bool base) {
    const char *pwd = var_get(sh, "PWD"), *home = var_get(sh, "HOME");
    if (!pwd) pwd = "";
    size_t n = home ? strlen(home) : 0;
    bool at_home = n > 1 && strncmp(pwd, home, n) == 0 && (pwd[n] == '/' || pwd[n] == 0);
    if (base) {
        const char *slash = strrchr(pwd, '/');
        if (at_home && pwd[n] == 0) put_literal(out, "~");
        else put_literal(out, slash && slash[1] ? slash + 1 : pwd);
        return;
    }
    char *text = at_home ? arena_printf(&sh->tmp, "~%s", pwd + n) : arena_strdup(&sh->tmp, pwd);
    const char *trim = var_get(sh, "PROMPT_DIRTRIM");
    int64_t keep = 0;
    if (trim && parse_int64(trim, &keep) && keep > 0) {
        const char *start = at_home ? text + 1 : text, *p = text + strlen(text);
        while (p > start && keep > 0)
            if (*--p == '/') keep--;
        if (p > start) text = arena_printf(&sh->tmp, "%.*s%s...%s", (int)(start - text), text,
                                           at_home ? "/" : "", p);
    }
    put_literal(out, text);
}

static void put_host(sb *out, bool whole) {
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) < 0) strcpy(name, "localhost");
    char *dot = strchr(name, '.');
    if (dot && !whole) *dot = 0;
    put_literal(out, name);
}

static void put_user(struct shell *sh, sb *out) {
    const struct passwd *pw = getpwuid(getuid());
    const char *name = pw ? pw->pw_name : var_get(sh, "USER");
    put_literal(out, name ? name : "I have no name!");
}

/* The escape whose letter is at s; bytes taken from there. */
static size_t prompt_escape(struct shell *sh, sb *out, const char *s) {
    switch (*s) {
    case 'a': sb_putc(out, '\a'); return 1;
    case 'e': sb_putc(out, '\33'); return 1;
    case 'n': sb_putc(out, '\n'); return 1;
    case 'r': sb_putc(out, '\r'); return 1;
    case 'd': put_time(out, "%a %b %d"); return 1;
    case 't': put_time(out, "%H:%M:%S"); return 1;
    case 'T': put_time(out, "%I:%M:%S"); return 1;
    case '@': put_time(out, "%I:%M %p"); return 1;
    case 'A': put_time(out, "%H:%M"); return 1;
    case 'h': put_host(out, false); return 1;
    case 'H': put_host(out, true); return 1;
    case 'u': put_user(sh, out); return 1;
    case 'w': put_directory(sh, out, false); return 1;
    case 'W': put_directory(sh, out, true); return 1;
    case 'v': sb_puts(out, "5.2"); return 1;
    case 'V': sb_puts(out, "5.2.15"); return 1;
    case '$': put_literal(out, geteuid() == 0 ? "#" : "$"); return 1;
    case '!':
    case '#': sb_puts(out, "1"); return 1;
    case 'l': sb_puts(out, "tty"); return 1;
    case 's': {
        const char *slash = strrchr(sh->name, '/');
        put_literal(out, slash ? slash + 1 : sh->name);
        return 1;
    }
    case 'j': {
        int n = 0;
        for (struct job *j = job_list(sh); j; j = j->next) n++;
        sb_printf(out, "%d", n);
        return 1;
    }
    case '[': /* what a line editor would not count: there is none */
    case ']': return 1;
    case '\\': sb_puts(out, "\\\\"); return 1;
    case 'D':
        if (s[1] == '{') {
            const char *end = strchr(s, '}');
            if (!end) break;
            char *format = arena_strndup(&sh->tmp, s + 2, (size_t)(end - s) - 2);
            put_time(out, *format ? format : "%X");
            return (size_t)(end - s) + 1;
        }
        break;
    default:
        if (*s >= '0' && *s <= '7') {
            int value = 0;
            size_t n = 0;
            while (n < 3 && s[n] >= '0' && s[n] <= '7') value = value * 8 + (s[n++] - '0');
            char text[2] = {(char)value, 0};
            put_literal(out, text);
            return n;
        }
    }
    sb_puts(out, "\\\\");
    if (*s == 0) return 0;
    sb_putc(out, *s);
    return 1;
}

char *prompt_expand(struct shell *sh, const char *text) {
    sb out = sb_in(&sh->tmp);
    for (const char *s = text; *s;) {
        if (*s == '\\') s += 1 + prompt_escape(sh, &out, s + 1);
        else sb_putc(&out, *s++);
    }
    if (!sh->shopt[SHOPT_PROMPTVARS]) {
        char *plain = sb_str(&out);
        pattern_unescape(plain);
        return plain;
    }
    return expand_text_dq(sh, sb_str(&out));
}
