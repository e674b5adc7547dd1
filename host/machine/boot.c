/*
 * host/machine/boot.c: what is the same in all sandboxes, made once.
 *
 * A template of each image: started, and frozen where it asks for its arguments, so that an
 * engine's start-up is paid once. And one booted machine: a kernel whose root is filled and a
 * session that waits for its first run. A new sandbox is a copy of that.
 *
 * The build makes them and bakes them into the program (host/bake.c); a program that has none makes
 * them when it first needs them. Both give the same bytes: everything here is deterministic,
 * without clock, randomness or environment.
 */
#include "host/cpu/baked.h"
#include "library.h"
#include "machine.h"
#include "zones.h"

#include <errno.h>
#include <stdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct cpu_template *) templates[PF_IMAGES_MAX];
static _Atomic(struct machine_boot *) booted;

int machine_image_count(void) {
    int n = 0;
    while (pf_images[n + 1]) n++;
    return n;
}

const struct pf_image *machine_image_info(int image) {
    return image >= 0 && image < machine_image_count() ? pf_images[image + 1] : NULL;
}

/* What the build made for this use of an image. NULL: it did not, or there is no memory. */
static struct cpu_template *baked_template(int index, enum machine_use use) {
    const struct cpu_baked *baked = cpu_baked();
    for (uint32_t i = 0; baked && i < baked->count; i++)
        if (baked->templates[i].image == (uint32_t)index && baked->templates[i].use == use)
            return cpu_template_baked(baked, &baked->templates[i]);
    return NULL;
}

static struct cpu_template *freeze_image(const struct pf_image *image) {
    struct cpu_thread *self = cpu_thread();
    cpu_instance *instance = self ? cpu_instance_new(image, NULL) : NULL;
    struct cpu_template *template = NULL;
    if (!instance) return NULL;
    if (cpu_run(self, instance) == CPU_EXIT_RETURNED && instance->rewinding)
        template = cpu_template_new(instance);
    else
        errno = ENOEXEC;
    cpu_instance_free(instance);
    return template;
}

const struct cpu_template *machine_image(int image) {
    const struct pf_image *info = machine_image_info(image);
    if (!info || image >= (int)PF_IMAGES_MAX) {
        errno = ENOENT;
        return NULL;
    }
    struct cpu_template *template = atomic_load_explicit(&templates[image], memory_order_acquire);
    if (template) return template;
    pthread_mutex_lock(&lock);
    template = atomic_load_explicit(&templates[image], memory_order_relaxed);
    if (!template) {
        template = baked_template(image + 1, MACHINE_USE_START);
        if (!template) template = freeze_image(info);
        atomic_store_explicit(&templates[image], template, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return template;
}

/* ---- the root */

static bool make_dir(pf_sandbox *s, const char *path, uint32_t mode, uint32_t owner) {
    int64_t r = KERNEL(s, MKDIRAT, .arg = {PF_AT_FDCWD, mode}, .in = path, .in_len = strlen(path));
    if (r == -PF_EEXIST) return true; /* the kernel's own: /dev, /proc */
    if (r == 0)
        r = KERNEL(s, FCHMODAT, .arg = {PF_AT_FDCWD, mode, 0}, .in = path, .in_len = strlen(path));
    if (r == 0)
        r = KERNEL(s, FCHOWNAT, .arg = {PF_AT_FDCWD, owner, owner, 0}, .in = path,
                   .in_len = strlen(path));
    return r == 0;
}

/* Symbolic, or another name of a file. */
static bool make_link(pf_sandbox *s, const char *target, const char *path, bool hard) {
    char both[512];
    size_t t = strlen(target) + 1, p = strlen(path) + 1;
    if (t + p > sizeof both) return false;
    memcpy(both, target, t);
    memcpy(both + t, path, p);
    if (hard)
        return KERNEL(s, LINKAT, .arg = {PF_AT_FDCWD, PF_AT_FDCWD, 0}, .in = both,
                      .in_len = t + p) == 0;
    return KERNEL(s, SYMLINKAT, .arg = {PF_AT_FDCWD}, .in = both, .in_len = t + p) == 0;
}

static bool make_file(pf_sandbox *s, const char *path, const char *text, uint32_t mode) {
    return machine_write_file(s, path, text, strlen(text), mode, 0, NULL) == PF_OK;
}

/* One program file for each command that an image serves. A bare image is nobody's command. */
static bool make_programs(pf_sandbox *s, const struct pf_image *image) {
    const char *folder = image->bare ? "/usr/libexec" : "/usr/bin";
    if (image->bare && !make_dir(s, folder, 0755, 0)) return false;
    for (const char *at = image->applets; *at;) {
        size_t len = strcspn(at, "\n");
        char path[300], text[300];
        if (len && len < 128) {
            snprintf(path, sizeof path, "%s/%.*s", folder, (int)len, at);
            snprintf(text, sizeof text, "%s%s %.*s\n", PF_PROGRAM_MAGIC, image->name, (int)len, at);
            if (!make_file(s, path, text, 0755)) return false;
        }
        at += len + (at[len] == '\n');
    }
    return true;
}

/* Its program is a module of the library. */
static bool make_pip(pf_sandbox *s) {
    static const char text[] =
        "#!/usr/bin/python3\nimport sys\nfrom pip.__main__ import main\nsys.exit(main())\n";
    return machine_library_count == 0 || (make_file(s, "/usr/bin/pip", text, 0755) &&
                                          make_file(s, "/usr/bin/pip3", text, 0755));
}

/* Zones that are one file are one here, too. */
static bool make_zones(pf_sandbox *s) {
    static const char folder[] = "/usr/share/zoneinfo";
    bool ok = make_dir(s, folder, 0755, 0);
    for (unsigned i = 0; ok && i < machine_zone_count; i++) {
        const struct machine_zone *zone = &machine_zones[i];
        char path[128], first[128];
        snprintf(path, sizeof path, "%s/%s", folder, zone->name);
        for (char *slash = path + sizeof folder; ok && (slash = strchr(slash, '/')); slash++) {
            *slash = '\0';
            ok = make_dir(s, path, 0755, 0);
            *slash = '/';
        }
        if (!ok) break;
        if (zone->same == i) {
            ok = machine_write_file(s, path, (const char *)machine_zone_data + zone->from,
                                    zone->len, 0644, 0, NULL) == PF_OK;
            continue;
        }
        snprintf(first, sizeof first, "%s/%s", folder, machine_zones[zone->same].name);
        ok = make_link(s, first, path, true);
    }
    return ok;
}

/* The kernel knows it to be absent: see library.h. */
static bool make_library(pf_sandbox *s) {
    static const char both[] = MACHINE_LIBRARY_ROOT "\0/";
    if (machine_library_count == 0) return true;
    return make_dir(s, MACHINE_LIBRARY_ROOT, 0755, 0) &&
           KERNEL(s, HOST_MOUNT, .in = both, .in_len = sizeof both) == 0;
}

static bool make_root(pf_sandbox *s) {
    static const char *const dirs[] = {"/usr", "/usr/bin", "/etc", "/tools", "/tools/bin", "/dev",
                                       "/proc", "/var", "/usr/share", "/usr/lib"};
    bool ok = true;
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        ok = ok && make_dir(s, dirs[i], 0755, 0);
    ok = ok && make_dir(s, "/workspace", 0755, 1000) && make_dir(s, "/tmp", 01777, 0) &&
         make_link(s, "usr/bin", "/bin", false) && make_link(s, "../tmp", "/var/tmp", false);
    ok = ok &&
         make_file(s, "/etc/passwd",
                   "root:x:0:0:root:/:/bin/sh\nuser:x:1000:1000:user:/workspace:/bin/bash\n",
                   0644) &&
         make_file(s, "/etc/group", "root:x:0:\nuser:x:1000:\n", 0644) &&
         make_file(s, "/etc/hostname", "pinfold\n", 0644) &&
         make_file(s, "/etc/hosts", "127.0.0.1 localhost pinfold\n", 0644) &&
         make_file(s, "/etc/os-release", "NAME=pinfold\nID=pinfold\nPRETTY_NAME=\"pinfold\"\n",
                   0644);
    ok = ok && make_zones(s) && make_library(s) && make_pip(s);
    for (int i = 0; ok && i < machine_image_count(); i++)
        ok = strcmp(machine_image_info(i)->name, PF_WEB_IMAGE) == 0 || /* see toolfiles.c */
             make_programs(s, machine_image_info(i));
    return ok;
}

/* ---- the booted machine */

static struct machine_boot *freeze_machine(pf_sandbox *s, pf_error *error) {
    struct machine_boot *boot = calloc(1, sizeof *boot);
    bool ok = boot != NULL;
    for (uint32_t i = 1; ok && i < s->procs_room && !boot->session_proc; i++) {
        if (!s->procs[i]) continue;
        boot->session_proc = i;
        ok = (boot->session = cpu_template_new(s->procs[i])) != NULL;
    }
    if (ok && (boot->kernel = cpu_template_new(s->kernel))) {
        boot->mailbox = s->mailbox;
        return boot;
    }
    base_error(error, PF_NO_MEMORY, "no memory to keep the booted machine: %s",
               errno == EFBIG ? "RLIMIT_FSIZE of this process is too small" : strerror(errno));
    if (boot) cpu_template_free(boot->session);
    free(boot);
    return NULL;
}

/* A build for tests may have other programs only. */
static bool have_shell(void) {
    for (int i = 0; i < machine_image_count(); i++)
        if (strcmp(machine_image_info(i)->name, "sh") == 0) return true;
    return false;
}

static struct machine_boot *boot_machine(pf_error *error) {
    pf_sandbox *s = calloc(1, sizeof *s);
    if (!s) {
        base_no_memory(error);
        return NULL;
    }
    struct machine_boot *boot = NULL;
    machine_run_init(&s->run);
    s->limits = s->own_limits = machine_default_limits;
    s->budget.limit = s->budget.each = UINT64_MAX;
    s->watch.stop_at = s->watch.kill_at = UINT32_MAX;
    s->clock_fixed = true;
    s->realtime_base = MACHINE_ROOT_TIME_NS;
    s->next_call = 1;
    s->kernel = cpu_instance_new(pf_images[0], &s->budget);
    if (!s->kernel) {
        base_error(error, PF_NO_MEMORY, "no address space for a sandbox's kernel");
        goto out;
    }
    if (machine_enter(s, error) != PF_OK) goto out;
    base_error(error, PF_DEAD, "the kernel image of this build does not boot");
    if (!machine_kernel_boot(s)) goto leave;
    machine_show_time(s);
    base_error(error, PF_DEAD, "the kernel image of this build does not take its root");
    if (!make_root(s)) goto leave;
    pf_options *defaults = pf_options_new();
    if (!defaults) {
        base_no_memory(error);
        goto leave;
    }
    s->env_len = defaults->env_len;
    s->env_count = defaults->env_count;
    s->env = defaults->env;
    pf_status status = have_shell() ? machine_start_session(s, PF_SESSION_SHELL, error) : PF_OK;
    if (status == PF_OK) status = machine_drive(s, error);
    if (status == PF_OK && !s->dead) boot = freeze_machine(s, error);
    else if (status == PF_OK) machine_dead(s, error);
    s->env = NULL;
    pf_options_free(defaults);
leave:
    s->dead = true; /* it was frozen, and is to be freed */
    machine_leave(s);
out:
    pf_sandbox_free(s);
    return boot;
}

/* NULL: nothing is baked in, or there is no memory. */
static struct machine_boot *baked_machine(void) {
    const struct cpu_baked *baked = cpu_baked();
    struct machine_boot *boot = baked ? calloc(1, sizeof *boot) : NULL;
    if (!boot) return NULL;
    boot->mailbox = baked->mailbox;
    boot->session_proc = baked->session_proc;
    boot->kernel = baked_template(0, MACHINE_USE_KERNEL);
    for (int i = 0; boot->session_proc && !boot->session && i < machine_image_count(); i++)
        boot->session = baked_template(i + 1, MACHINE_USE_SESSION);
    if (boot->kernel && (boot->session || !boot->session_proc)) return boot;
    cpu_template_free(boot->kernel);
    cpu_template_free(boot->session);
    free(boot);
    return NULL;
}

const struct machine_boot *machine_boot(pf_error *error) {
    struct machine_boot *boot = atomic_load_explicit(&booted, memory_order_acquire);
    if (boot) return boot;
    /* Not under the lock of the images, which booting takes. */
    static pthread_mutex_t boot_lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&boot_lock);
    boot = atomic_load_explicit(&booted, memory_order_relaxed);
    if (!boot) {
        boot = baked_machine();
        if (!boot) boot = boot_machine(error);
        atomic_store_explicit(&booted, boot, memory_order_release);
    }
    pthread_mutex_unlock(&boot_lock);
    return boot;
}

pf_status pf_prepare(pf_error *error) {
    if (!machine_boot(error)) return error->status;
    for (int i = 0; i < machine_image_count(); i++)
        if (!machine_image(i))
            return base_error(error, PF_NO_MEMORY, "the program %s cannot be started: %s",
                              machine_image_info(i)->name, strerror(errno));
    return PF_OK;
}
