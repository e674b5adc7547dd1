/*
 * host/machine/toolfiles.c: writes the files below /tools, in which programs read about the tools.
 *
 *   /tools/tools.json        {"tools": [{"name","id","flat","flat_usable","dotted_usable",
 *                            "description","returns","shapes","parameters"}], "namespaces": [first
 * literal segments]}; returns is a type of TypeScript's; shapes has limits and types of parameters,
 * for tool --help; the namespaces only with a catch-all handler /tools/schema/FLAT.json  one of
 * these objects; of tools with the same flat name, the last /tools/NAME.md           a tool to read
 * about, its id with dots /tools/tools.d.ts        all of them as TypeScript declarations
 *   /tools/tools.pyi         all of them as a stub of Python's module tools
 *   /tools/bin/FLAT          the tool as a command; /usr/bin/FLAT is gone, if there was one
 *   /usr/bin/curl, wget      with the tool http/request
 *   /tools/prelude.js        what every JavaScript program runs first, if the embedder gave it
 */
#include "machine.h"
#include "tooldocs.h"

#include <stdio.h>
#include <string.h>

/* A JSON string. The text was checked to be UTF-8 when the tool was declared. */
static bool add_string(struct base_buf *b, const char *text) {
    bool ok = base_buf_addz(b, "\"");
    for (const unsigned char *p = (const unsigned char *)text; ok && *p; p++) {
        char escape[8];
        if (*p == '"' || *p == '\\') snprintf(escape, sizeof escape, "\\%c", *p);
        else if (*p < 0x20) snprintf(escape, sizeof escape, "\\u%04x", *p);
        else {
            ok = base_buf_add(b, p, 1);
            continue;
        }
        ok = base_buf_addz(b, escape);
    }
    return ok && base_buf_addz(b, "\"");
}

static bool add_returns(struct base_buf *b, const struct cap_tool *tool) {
    struct base_buf type;
    base_buf_init(&type, SIZE_MAX);
    bool ok = machine_tool_returns(&type, tool) && base_buf_addz(b, ",\"returns\":") &&
              add_string(b, type.data);
    base_buf_free(&type);
    return ok;
}

static bool add_tool(struct base_buf *b, const struct cap_tool *tool) {
    return base_buf_addz(b, "{\"name\":") && add_string(b, tool->name) &&
           base_buf_addz(b, ",\"id\":") && add_string(b, tool->id) &&
           base_buf_addz(b, ",\"flat\":") && add_string(b, tool->flat) &&
           base_buf_addz(b,
                         tool->flat_usable ? ",\"flat_usable\":true" : ",\"flat_usable\":false") &&
           base_buf_addz(b, tool->dotted_usable ? ",\"dotted_usable\":true"
                                                : ",\"dotted_usable\":false") &&
           base_buf_addz(b, ",\"description\":") && add_string(b, tool->description) &&
           add_returns(b, tool) && base_buf_addz(b, ",\"shapes\":") &&
           machine_tool_shapes(b, tool) && base_buf_addz(b, ",\"parameters\":") &&
           (tool->schema_len ? base_buf_add(b, tool->schema, tool->schema_len)
                             : base_buf_addz(b, "{\"type\":\"object\"}")) &&
           base_buf_addz(b, "}");
}

static pf_status write_page(pf_sandbox *s, const struct cap_tool *tool, pf_error *error) {
    char path[PF_NAME_MAX + 32];
    struct base_buf page;
    base_buf_init(&page, SIZE_MAX);
    snprintf(path, sizeof path, "/tools/%s.md", tool->id);
    for (char *p = path + strlen("/tools/"); *p; p++)
        if (*p == '/') *p = '.';
    pf_status status = machine_tool_page(&page, tool)
                           ? machine_write_file(s, path, page.data, page.len, 0644, 0, error)
                           : base_no_memory(error);
    base_buf_free(&page);
    return status;
}

/* A tool takes the name of a command that is not reserved: whoever granted it named it. The command
   is gone, since PATH has /usr/bin before /tools/bin. */
static pf_status yield_command(pf_sandbox *s, const char *name, pf_error *error) {
    char path[PF_NAME_MAX + 32];
    int len = snprintf(path, sizeof path, "/usr/bin/%s", name);
    int64_t r = KERNEL(s, UNLINKAT, .arg = {PF_AT_FDCWD, 0}, .in = path, .in_len = (size_t)len);
    if (r == 0 || r == -PF_ENOENT) return PF_OK;
    return base_error(error, PF_DEAD, "the kernel keeps /usr/bin/%s from the tool of this name",
                      name);
}

static pf_status write_tool(pf_sandbox *s, const struct cap_tool *tool, pf_error *error) {
    char path[PF_NAME_MAX + 32], program[PF_NAME_MAX + 32];
    struct base_buf json;
    base_buf_init(&json, SIZE_MAX);
    if (strlen(tool->flat) > PF_NAME_MAX - 8)
        return base_error(error, PF_INVALID, "the tool name \"%.80s…\" is longer than %u bytes",
                             tool->name, PF_NAME_MAX - 8);
    if (!add_tool(&json, tool)) {
        base_buf_free(&json);
        return base_no_memory(error);
    }
    snprintf(path, sizeof path, "/tools/schema/%s.json", tool->flat);
    pf_status status = machine_write_file(s, path, json.data, json.len, 0644, 0, error);
    base_buf_free(&json);
    if (status == PF_OK) status = write_page(s, tool, error);
    if (status != PF_OK || !tool->flat_usable) return status;
    status = yield_command(s, tool->flat, error);
    if (status != PF_OK) return status;
    snprintf(path, sizeof path, "/tools/bin/%s", tool->flat);
    snprintf(program, sizeof program, "%stool tool\n", PF_PROGRAM_MAGIC);
    return machine_write_file(s, path, program, strlen(program), 0755, 0, error);
}

/* What makes requests by the tool http/request: commands that nobody misses without it. */
static pf_status write_web_commands(pf_sandbox *s, pf_error *error) {
    static const char *const names[] = {"curl", "wget"};
    pf_status status = PF_OK;
    for (size_t i = 0; status == PF_OK && i < sizeof names / sizeof *names; i++) {
        char path[40], program[60];
        bool taken = false; /* by a tool of that name */
        for (size_t k = 0; k < cap_gate_tool_count(s->gate); k++) {
            const struct cap_tool *tool = cap_gate_tool(s->gate, k);
            taken = taken || (tool->flat_usable && strcmp(tool->flat, names[i]) == 0);
        }
        snprintf(path, sizeof path, "/usr/bin/%s", names[i]);
        snprintf(program, sizeof program, "%s" PF_WEB_IMAGE " %s\n", PF_PROGRAM_MAGIC, names[i]);
        if (!taken) status = machine_write_file(s, path, program, strlen(program), 0755, 0, error);
    }
    return status;
}

static pf_status write_all(pf_sandbox *s, const char *path,
                           bool (*tell)(struct base_buf *, const cap_gate *), pf_error *error) {
    struct base_buf text;
    base_buf_init(&text, SIZE_MAX);
    pf_status status = tell(&text, s->gate)
                           ? machine_write_file(s, path, text.data, text.len, 0644, 0, error)
                           : base_no_memory(error);
    base_buf_free(&text);
    return status;
}

static pf_status write_types(pf_sandbox *s, pf_error *error) {
    pf_status status = write_all(s, "/tools/tools.d.ts", machine_tool_types, error);
    return status == PF_OK ? write_all(s, "/tools/tools.pyi", machine_tool_stubs, error) : status;
}

/* Their presence, even of none, says that every granted method may be called. */
static bool add_namespaces(struct base_buf *b, const cap_gate *gate) {
    char name[CAP_NAMESPACE_SIZE];
    bool ok = base_buf_addz(b, ",\"namespaces\":[");
    for (size_t i = 0; ok && cap_gate_namespace(gate, i, name); i++)
        ok = (i == 0 || base_buf_addz(b, ",")) && add_string(b, name);
    return ok && base_buf_addz(b, "]");
}

enum tool_file { TOOL_PROGRAM, TOOL_SCHEMA, TOOL_PAGE };

/* The name of a tool's file in its directory; NULL: it has none. */
static const char *file_of(const struct cap_tool *tool, enum tool_file kind,
                           char name[PF_NAME_MAX + 32]) {
    if (kind == TOOL_PROGRAM) return tool->flat_usable ? tool->flat : NULL;
    bool schema = kind == TOOL_SCHEMA;
    snprintf(name, PF_NAME_MAX + 32, schema ? "%s.json" : "%s.md", schema ? tool->flat : tool->id);
    for (char *p = name; !schema && *p; p++)
        if (*p == '/') *p = '.';
    return name;
}

/* Is there a tool that has this file? */
static bool has_file(const pf_sandbox *s, enum tool_file kind, const char *name) {
    char other[PF_NAME_MAX + 32];
    size_t count = cap_gate_tool_count(s->gate);
    if (kind == TOOL_PAGE && strncmp(name, "tools.", 6) == 0)
        return count || cap_gate_catches_all(s->gate);
    if (kind == TOOL_PAGE && !strstr(name, ".md")) return true; /* it is no page */
    for (size_t i = 0; i < count; i++) {
        const char *file = file_of(cap_gate_tool(s->gate, i), kind, other);
        if (file && strcmp(file, name) == 0) return true;
    }
    return false;
}

static pf_status forget_in(pf_sandbox *s, const char *directory, enum tool_file kind,
                           pf_error *error) {
    struct base_buf names;
    base_buf_init(&names, SIZE_MAX);
    pf_status status = machine_list_names(s, directory, &names, error);
    for (size_t at = 0; status == PF_OK && at < names.len; at += strlen(names.data + at) + 1) {
        char path[PF_NAME_MAX + 32];
        if (has_file(s, kind, names.data + at)) continue;
        int len = snprintf(path, sizeof path, "%s/%s", directory, names.data + at);
        if (len < 0 || (size_t)len >= sizeof path) continue;
        int64_t r = KERNEL(s, UNLINKAT, .arg = {PF_AT_FDCWD, 0}, .in = path, .in_len = (size_t)len);
        if (r < 0 && r != -PF_EISDIR) status = machine_guest_error(s, r, path, error);
    }
    base_buf_free(&names);
    return status == PF_NOT_FOUND ? PF_OK : status;
}

pf_status machine_forget_tools(pf_sandbox *s, pf_error *error) {
    if (!s->tool_files) return PF_OK; /* to look leaves its traces in the kernel */
    pf_status status = forget_in(s, "/tools/bin", TOOL_PROGRAM, error);
    if (status == PF_OK) status = forget_in(s, "/tools/schema", TOOL_SCHEMA, error);
    return status == PF_OK ? forget_in(s, "/tools", TOOL_PAGE, error) : status;
}

pf_status machine_write_tools(pf_sandbox *s, const pf_options *options, pf_error *error) {
    pf_status status = PF_OK;
    size_t count = cap_gate_tool_count(s->gate);
    struct base_buf all;
    base_buf_init(&all, SIZE_MAX);
    bool ok = base_buf_addz(&all, "{\"tools\":[");
    for (size_t i = 0; status == PF_OK && ok && i < count; i++) {
        const struct cap_tool *tool = cap_gate_tool(s->gate, i);
        ok = (i == 0 || base_buf_addz(&all, ",")) && add_tool(&all, tool);
        if (ok) status = write_tool(s, tool, error);
        if (ok && status == PF_OK && strcmp(tool->id, "http/request") == 0)
            status = write_web_commands(s, error);
    }
    ok = ok && base_buf_addz(&all, "]");
    bool any = cap_gate_catches_all(s->gate);
    if (any) ok = ok && add_namespaces(&all, s->gate);
    ok = ok && base_buf_addz(&all, "}\n");
    if (status == PF_OK && !ok) status = base_no_memory(error);
    if (status == PF_OK && (count || any))
        status = machine_write_file(s, "/tools/tools.json", all.data, all.len, 0644, 0, error);
    base_buf_free(&all);
    s->tool_files = count || any;
    if (status == PF_OK && (count || any)) status = write_types(s, error);
    if (status == PF_OK && options->prelude)
        status = machine_write_file(s, "/tools/prelude.js", options->prelude, options->prelude_len,
                                    0644, 0, error);
    return status;
}
