/*
 * ls.h: what the parts of ls share.
 */
#ifndef LS_H
#define LS_H

#include "g_human.h"
#include "g_text.h"
#include "g_time.h"

#include <sys/stat.h>

enum ls_format { LS_ONE, LS_LONG, LS_COLUMNS, LS_ACROSS, LS_COMMAS };
enum ls_sort { LS_BY_NAME, LS_BY_NOTHING, LS_BY_TIME, LS_BY_SIZE, LS_BY_ENDING, LS_BY_VERSION,
               LS_BY_WIDTH };
enum ls_time { LS_MTIME, LS_CTIME, LS_ATIME, LS_BTIME };
enum ls_mark { LS_NO_MARK, LS_SLASH, LS_FILE_TYPE, LS_CLASSIFY };
enum ls_quote { LS_LITERAL, LS_SHELL, LS_SHELL_ALWAYS, LS_SHELL_ESCAPE, LS_SHELL_ESCAPE_ALWAYS,
                LS_C, LS_C_MAYBE, LS_ESCAPE, LS_LOCALE, LS_CLOCALE };
enum ls_links { LS_NO_FOLLOW, LS_FOLLOW_OPERANDS, LS_FOLLOW_OPERAND_DIRS, LS_FOLLOW_ALL };

typedef struct {
    enum ls_format format;
    enum ls_sort sort;
    enum ls_time time;
    enum ls_mark mark;
    enum ls_quote quote;
    enum ls_links links;
    bool all, almost_all, reverse, recursive, directories_as_files, directories_first;
    bool inode, blocks, numeric, no_owner, no_group, author, hide_control, color, zero, context;
    const char *hyperlink_host; /* names are links to file://HOST/PATH; NULL: they are not */
    g_size_style file_size, block_size;
    const char **ignore; /* patterns: -I, -B */
    size_t ignore_count;
    const char **hide;   /* patterns that -a and -A override */
    size_t hide_count;
    const char *recent_format, *old_format; /* dates within and beyond six months */
    size_t line_width;                      /* 0: no limit */
    size_t tab;                             /* 0: only spaces */
    char end;
} ls_options;

typedef struct {
    char *name;        /* as found or given */
    char *shown;       /* quoted */
    size_t shown_len, width;
    bool quoted;
    struct stat st;
    bool has_stat;     /* otherwise only the type bits of st_mode are set */
    char *path;        /* for hyperlinks: without links, escaped */
    char *target;      /* of a symbolic link, in long format */
    bool target_ok;
    mode_t target_mode;
    int64_t born;
} ls_file;

typedef struct {
    ls_file *files;
    size_t count, cap;
    bool any_quoted;
} ls_list;

/* ls_list.c */
/* Looks at DIR/NAME and appends it. *status rises to 1, or 2 for an operand, which is then left
 * out, when that fails. `type`: what the directory says (DT_…), 0 when it says nothing. */
void ls_add(const ls_options *o, ls_list *list, const char *dir, const char *name, bool operand,
            int type, int *status);
void ls_sort_list(const ls_options *o, ls_list *list); /* By the options' order. */
void ls_clear(ls_list *list); /* Frees the files; the list can be used again. */
/* Whether the options ask for more than names and types. */
bool ls_needs_stat(const ls_options *o);
void ls_quote_name(const ls_options *o, ls_file *f); /* Fills f->shown from f->name. */

/* ls_print.c */
/* `measured` decides the widths of the columns: usually the same list. */
void ls_print(const ls_options *o, const ls_list *list, const ls_list *measured);
/* "total N", as stands above a long list. */
void ls_print_total(const ls_options *o, const ls_list *list);

/* ls_color.c: reads LS_COLORS once; before and after a name. */
bool ls_color_start(const char *name, mode_t mode, bool has_stat, bool broken, nlink_t links);
void ls_color_end(void); /* Behind a name that ls_color_start() answered true for. */
/* False when there is nothing to colour with: no LS_COLORS, and no terminal that is known. */
bool ls_color_init(void);
bool ls_color_link_target(void);   /* links take the colour of what they lead to */
bool ls_color_shows_targets(void); /* the target behind "->" is coloured too */

#endif
