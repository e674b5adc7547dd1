/*
 * network.c: what libgit2 would do over a network. In the sandbox there is the tool
 * http/request (http_transport.c); the other transports end in an error, which the commands foresee and
 * explain (remote_url.c).
 */
#include "common.h"

#include "git2/sys/transport.h"
#include "git2/sys/credential.h"

static int refuse(void) {
    git_error_set_str(GIT_ERROR_NET, "there is no network in the sandbox");
    return -1;
}

int git_smart_subtransport_git(git_smart_subtransport **out, git_transport *owner, void *param) {
    (void)owner;
    (void)param;
    *out = NULL;
    return refuse();
}

int git_smart_subtransport_ssh(git_smart_subtransport **out, git_transport *owner, void *param) {
    return git_smart_subtransport_git(out, owner, param);
}

/* What libgit2's settings and its start ask of the parts that are left out. */
bool git_http__expect_continue = false;
int git_socket_stream__connect_timeout = 0;
int git_socket_stream__timeout = 0;

int git_stream_registry_global_init(void) { return 0; }
int git_socket_stream_global_init(void) { return 0; }
int git_openssl_stream_global_init(void) { return 0; }
int git_mbedtls_stream_global_init(void) { return 0; }
int git_transport_ssh_libssh2_global_init(void) { return 0; }
