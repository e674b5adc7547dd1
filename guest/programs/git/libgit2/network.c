/*
 * network.c: what libgit2 would do over a network. Nothing of it exists in the sandbox: the
 * transports end in an error, which the commands foresee and explain (remote_url.c).
 */
#include "common.h"

#include "git2/sys/transport.h"
#include "git2/sys/credential.h"

static int refuse(void) {
    git_error_set_str(GIT_ERROR_NET, "there is no network in the sandbox");
    return -1;
}

int git_transport_smart(git_transport **out, git_remote *owner, void *param) {
    (void)owner;
    (void)param;
    *out = NULL;
    return refuse();
}

int git_smart_subtransport_http(git_smart_subtransport **out, git_transport *owner, void *param) {
    (void)owner;
    (void)param;
    *out = NULL;
    return refuse();
}

int git_smart_subtransport_git(git_smart_subtransport **out, git_transport *owner, void *param) {
    return git_smart_subtransport_http(out, owner, param);
}

int git_smart_subtransport_ssh(git_smart_subtransport **out, git_transport *owner, void *param) {
    return git_smart_subtransport_http(out, owner, param);
}

/* What libgit2's settings and its start ask of the parts that are left out. */
bool git_smart__ofs_delta_enabled = true;
bool git_http__expect_continue = false;
int git_socket_stream__connect_timeout = 0;
int git_socket_stream__timeout = 0;

int git_stream_registry_global_init(void) { return 0; }
int git_socket_stream_global_init(void) { return 0; }
int git_openssl_stream_global_init(void) { return 0; }
int git_mbedtls_stream_global_init(void) { return 0; }
int git_transport_ssh_libssh2_global_init(void) { return 0; }
