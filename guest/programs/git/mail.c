/*
 * mail.c: mails with patches, see mail.h.
 */
#include "mail.h"
#include "lib/hex/hex.h"

#include <ctype.h>
#include <strings.h>

static bool begins_mail(const char *line) {
    if (strncmp(line, "From ", 5) != 0) return false;
    size_t len = strcspn(line, "\n");
    const char *colon = memchr(line, ':', len); /* of a time, and a year behind it */
    return colon && len > 20 && isdigit((unsigned char)line[len - 1]);
}

void mail_split(string_list *mails, const char *text, size_t len, bool keep_cr) {
    g_text now = {0};
    const char *end = text + len;
    bool empty_before = true;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((newline ? newline + 1 : end) - text);
        if (empty_before && begins_mail(text) && now.len) {
            list_add(mails, now.s);
            now.len = 0;
        }
        if (!keep_cr && n > 1 && text[n - 1] == '\n' && text[n - 2] == '\r') {
            g_text_add(&now, text, n - 2);
            g_text_addc(&now, '\n');
        } else {
            g_text_add(&now, text, n);
        }
        empty_before = true; /* format-patch writes no empty line between mails that it joins */
        text += n;
    }
    if (now.len) list_add(mails, now.s);
    g_text_free(&now);
}

static void from_base64(g_text *out, const char *text, size_t len) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0, have = 0;
    for (size_t i = 0; i < len && text[i] != '='; i++) {
        const char *at = text[i] ? strchr(digits, text[i]) : NULL;
        if (!at) continue;
        bits = bits << 6 | (unsigned)(at - digits);
        have += 6;
        if (have >= 8) have -= 8, g_text_addc(out, (char)(bits >> have));
    }
}

static void from_printable(g_text *out, const char *text, size_t len, bool header) {
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '=' && i + 2 < len && pf_hex(text[i + 1]) >= 0 && pf_hex(text[i + 2]) >= 0) {
            g_text_addc(out, (char)(pf_hex(text[i + 1]) << 4 | pf_hex(text[i + 2])));
            i += 2;
        } else if (text[i] == '=' && i + 1 < len && text[i + 1] == '\n') {
            i++;
        } else {
            g_text_addc(out, header && text[i] == '_' ? ' ' : text[i]);
        }
    }
}

/* RFC 2047: =?UTF-8?q?…?= */
static char *decoded(const char *text) {
    g_text out = {0};
    g_text_adds(&out, "");
    while (*text) {
        const char *start = strstr(text, "=?"), *method = start ? strchr(start + 2, '?') : NULL;
        const char *end = method && method[1] && method[2] == '?' ? strstr(method + 3, "?=") : NULL;
        if (!end) break;
        bool gap = out.len && strspn(text, " \t\n") == (size_t)(start - text);
        if (!gap) g_text_add(&out, text, (size_t)(start - text));
        if (tolower((unsigned char)method[1]) == 'q') from_printable(&out, method + 3, (size_t)(end - method - 3), true);
        else from_base64(&out, method + 3, (size_t)(end - method - 3));
        text = end + 2;
    }
    g_text_adds(&out, text);
    return out.s;
}

static void take_from(mail *m, const char *value) {
    char *text = decoded(value), *open = strrchr(text, '<'), *close = open ? strchr(open, '>') : NULL;
    if (open && close) {
        m->email = g_copy_bytes(open + 1, (size_t)(close - open - 1));
        size_t len = (size_t)(open - text);
        while (len && isspace((unsigned char)text[len - 1])) len--;
        char *name = text;
        if (len > 1 && *name == '"' && name[len - 1] == '"') name++, len -= 2;
        m->name = g_copy_bytes(name, len);
        if (!*m->name) m->name = m->email;
    } else {
        char *paren = strchr(text, '(');
        m->email = g_copy_bytes(text, paren ? (size_t)(paren - text) : strlen(text));
        m->name = paren ? g_copy_bytes(paren + 1, strcspn(paren + 1, ")")) : m->email;
        size_t len = strlen(m->email);
        while (len && isspace((unsigned char)m->email[len - 1])) m->email[--len] = '\0';
    }
}

static char *clean_subject(const char *text, bool keep) {
    g_text out = {0};
    char *plain = decoded(text), *at = plain;
    while (!keep) {
        while (isspace((unsigned char)*at) || *at == ':') at++;
        if (strncasecmp(at, "re:", 3) == 0) at += 3;
        else if (*at == '[' && strchr(at, ']')) at = strchr(at, ']') + 1;
        else break;
    }
    g_text_adds(&out, "");
    for (bool gap = false; *at; at++) {
        if (isspace((unsigned char)*at)) gap = out.len > 0;
        else {
            if (gap) g_text_addc(&out, ' ');
            gap = false;
            g_text_addc(&out, *at);
        }
    }
    return out.s;
}

/* A header that goes on over lines; what is behind it. */
static const char *read_header(const char *at, g_text *out) {
    for (;;) {
        size_t len = strcspn(at, "\n");
        g_text_add(out, at, len);
        at += len + (at[len] == '\n');
        if (*at != ' ' && *at != '\t') return at;
        while (*at == ' ' || *at == '\t') at++;
        g_text_addc(out, ' ');
    }
}

static bool is_header(const char *line, const char *name, const char **value) {
    size_t len = strlen(name);
    if (strncasecmp(line, name, len) != 0 || line[len] != ':') return false;
    *value = line + len + 1;
    while (**value == ' ') (*value)++;
    return true;
}

static bool starts_patch(const char *line) {
    if (strncmp(line, "diff -", 6) == 0 || strncmp(line, "Index: ", 7) == 0) return true;
    if (strncmp(line, "---", 3) != 0) return false;
    size_t len = strcspn(line, "\n");
    if (line[3] == ' ' && len > 4 && line[4] != ' ') return true;
    for (size_t i = 3; i < len; i++)
        if (!isspace((unsigned char)line[i])) return false;
    return true;
}

static bool is_scissors(const char *line) {
    size_t len = strcspn(line, "\n"), marks = 0;
    bool cut = false;
    for (size_t i = 0; i < len; i++) {
        if (i + 1 < len && (memcmp(line + i, ">8", 2) == 0 || memcmp(line + i, "8<", 2) == 0)) cut = true, marks += 2, i++;
        else if (line[i] == '-') marks++;
    }
    return cut && marks >= 8 && marks * 3 >= len;
}

mail mail_parse(const char *text, bool keep, bool scissors) {
    mail m = {0};
    g_text body = {0}, message = {0};
    const char *at = text, *value;
    char *subject = "";
    int coding = 0;
    while (*at && *at != '\n') {
        g_text header = {0};
        at = read_header(at, &header);
        if (is_header(header.s, "From", &value)) take_from(&m, value);
        else if (is_header(header.s, "Date", &value)) m.date = g_copy_string(value);
        else if (is_header(header.s, "Subject", &value)) subject = clean_subject(value, keep);
        else if (is_header(header.s, "Content-Transfer-Encoding", &value)) coding = strncasecmp(value, "base64", 6) == 0 ? 2 : strncasecmp(value, "quoted", 6) == 0;
    }
    g_text_adds(&body, "");
    if (coding == 2) from_base64(&body, at, strlen(at));
    else if (coding) from_printable(&body, at, strlen(at), false);
    else g_text_adds(&body, at);
    at = body.s;
    at += strspn(at, "\n");
    while (is_header(at, "From", &value) || is_header(at, "Date", &value) || is_header(at, "Subject", &value)) {
        g_text header = {0};
        char kind = *at;
        at = read_header(at, &header);
        value = strchr(header.s, ':') + 1;
        while (*value == ' ') value++;
        if (kind == 'F' || kind == 'f') take_from(&m, value);
        else if (kind == 'D' || kind == 'd') m.date = g_copy_string(value);
        else subject = clean_subject(value, keep);
        if (*at == '\n') {
            at++;
            break;
        }
    }
    g_text_adds(&message, "");
    while (*at && !starts_patch(at)) {
        size_t len = strcspn(at, "\n");
        if (scissors && is_scissors(at)) message.len = 0, g_text_adds(&message, "");
        else g_text_add(&message, at, len + (at[len] == '\n'));
        at += len + (at[len] == '\n');
    }
    g_text whole = {0};
    g_text_addf(&whole, "%s\n\n%s", subject, message.s);
    m.subject = subject;
    m.message = clean_message(whole.s, false);
    m.patch = g_copy_string(at);
    m.patch_len = strlen(at);
    return m;
}
