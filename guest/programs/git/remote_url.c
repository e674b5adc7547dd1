/*
 * remote_url.c: which remotes can be reached: paths of the sandbox. What would need a network is
 * refused here, with what to do instead.
 */
#include "remote_url.h"

#include "g_file.h"

bool is_network_url(const char *url) {
    static const char *const schemes[] = {"http://", "https://", "ssh://", "git://", "git+ssh://", "ssh+git://", "ftp://", "ftps://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncasecmp(url, schemes[i], strlen(schemes[i])) == 0) return true;
    const char *colon = strchr(url, ':'), *slash = strchr(url, '/');
    if (strncmp(url, "file://", 7) == 0) return false;
    return colon && (!slash || colon < slash) && !file_exists(url); /* host:path */
}

void refuse_network(const char *url) {
    if (!is_network_url(url)) return;
    bool http = strncasecmp(url, "http", 4) == 0;
    error("unable to access '%s': the sandbox has no network", url);
    if (http)
        hint("git makes requests by the tool http/request, which this sandbox was not given.\n"
             "Grant it (Sandbox(tools=[Http(allow=[\"https://host/**\"])])), or have the\n"
             "repository mounted (Sandbox(mounts=...)) and clone its path.");
    else
        hint("SSH and git:// need a connection of their own, which no tool gives. Have the\n"
             "repository mounted (Sandbox(mounts=...)) and clone its path.");
    g_exit(128);
}

char *local_path(const char *url) {
    const char *path = strncmp(url, "file://", 7) == 0 ? url + 7 : url;
    char *dotgit = g_join(path, ".git");
    char *chosen = file_exists(dotgit) ? g_copy_string(path) : NULL;
    if (!chosen && file_exists(path)) chosen = g_copy_string(path);
    if (!chosen) {
        g_text with = {0};
        g_text_addf(&with, "%s.git", path);
        if (file_exists(with.s)) chosen = with.s;
        with.len = 0;
        g_text_addf(&with, "%s.bundle", path);
        if (!chosen && file_exists(with.s)) chosen = with.s;
    }
    return chosen ? g_canonicalize(chosen, G_ANY_MISSING, false) : NULL;
}
