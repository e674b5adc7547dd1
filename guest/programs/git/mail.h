/*
 * mail.h: mails with patches, as format-patch writes them, taken apart for am.
 */
#ifndef MAIL_H
#define MAIL_H

#include "git.h"

typedef struct {
    char *name, *email, *date, *subject;
    char *message; /* subject and body, for the commit */
    char *patch;
    size_t patch_len;
} mail;

/* The mails of a mailbox, or the whole as one. */
void mail_split(string_list *mails, const char *text, size_t len, bool keep_cr);
/* `keep` leaves the subject as it is; `scissors`: what stands above a line of them goes. */
mail mail_parse(const char *text, bool keep, bool scissors);

#endif
