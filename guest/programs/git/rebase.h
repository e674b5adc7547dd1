/*
 * rebase.h: commits taken up again one after the other, for rebase.
 *
 * What is left to do stands in .git/rebase-merge, in git's own files: rebase_todo.c reads and writes them
 * and does the commands, cmd_rebase.c decides what they are.
 */
#ifndef REBASE_H
#define REBASE_H

#include "git.h"

enum todo_kind { TODO_PICK, TODO_REWORD, TODO_EDIT, TODO_SQUASH, TODO_FIXUP, TODO_EXEC, TODO_BREAK, TODO_DROP, TODO_NOOP };
typedef struct {
    enum todo_kind kind;
    git_oid id;
    char *rest; /* the line behind the command */
} todo_item;
typedef struct {
    todo_item *items;
    size_t count, cap;
} todo_list;

typedef struct {
    char *head_name; /* refs/heads/x, or "detached HEAD" */
    git_oid onto, orig_head;
    bool quiet;
} rebase_state;

bool todo_parse(todo_list *list, const char *text); /* false after a message */
/* An item; `rest` is the text behind the command. */
void todo_add(todo_list *list, enum todo_kind kind, const git_oid *id, const char *rest);
/* The items from `from` on, as the file has them; `full`: with whole ids. Fresh memory. */
char *todo_text(const todo_list *list, size_t from, bool full);
void rebase_save(const rebase_state *state); /* Writes the state below .git/rebase-merge. */
bool rebase_load(rebase_state *state); /* false: none is on */
void rebase_forget(void); /* Removes it. */
/* Does what is left; the exit status. */
int rebase_run(rebase_state *state);
/* Takes what the user left after a stop; then rebase_run() may go on. 0, or an exit status. */
int rebase_take_up(rebase_state *state);
extern int rebase_strategy_favor;

#endif
