/*
 * hint.c: names a replacement for a command that this system does not have.
 *
 * A program writer who meets `command not found` for a common name is told, in one line, what to
 * use instead. Only names with a known replacement are here.
 */
#include "sh.h"

static const struct {
    const char *names; /* separated by spaces */
    const char *text;
} hints[] = {
    {"python2 ipython pypy pypy3", "use python3"},
    {"python python3 ruby php lua deno bun tsc ts-node tsx",
     "`js` (also `node`) runs JavaScript and TypeScript"},
    {"perl", "perl -pe 's/a/b/' is sed -E 's/a/b/' (-i -pe: sed -i -E), perl -ne 'print if /a/' is "
             "grep -P a, the rest is for awk or `js`"},
    {"curl wget http https nc ncat netcat telnet ssh sftp ping dig nslookup host ftp",
     "there is no network; `tool --list` shows what can be reached"},
    {"vi vim nvim nano emacs ex pico", "use `cat > FILE <<'EOF'`, sed -i, ed or patch"},
    {"apt apt-get dpkg yum dnf apk brew snap pip pip3 pipx uv poetry conda npm npx yarn pnpm cargo "
     "gem go",
     "nothing can be installed; `compgen -c` lists the commands there are"},
    {"sudo su doas", "there is one user; run the command itself"},
    {"hg svn", "version control is git"},
    {"gcc cc clang g++ clang++ cmake rustc javac java",
     "nothing can be compiled; `js` runs programs"},
    {"docker podman kubectl systemctl service", "there are no services; start a process with `&`"},
    {"ag ack pt", "use rg or grep -r"},
    {"fd fdfind locate mlocate", "use find"},
    {"bat batcat", "use cat"},
    {"exa eza lsd", "use ls"},
    {"yq", "use jq for JSON, or `js`"},
    {"mysql psql mariadb duckdb", "use sqlite3"},
    {"7z 7za rar unrar", "use tar, zip or unzip"},
    {"gsed", "use sed"},
    {"ggrep", "use grep"},
    {"gdate", "use date"},
    {"gtar bsdtar ar", "use tar"},
    {"merge", "use diff3 -m, or git merge-file"},
    {"dc", "use bc"},
    {"ncal", "use cal"},
    {"srm", "use rm or shred"},
    {"prename mmv", "use rename or a loop with mv"},
    {"pidof killall", "use pgrep and pkill"},
    {"man info apropos whatis tldr",
     "`COMMAND --help` says what it does, `help NAME` what a builtin does"},
    {"openssl gpg", "sha256sum, b2sum and cksum -a make digests, base64 encodes; `js` has crypto"},
    {"mlr csvcut csvgrep csvsql csvjson xsv qsv",
     "use awk -F, or sqlite3 with `.import --csv`, or `js`"},
    {"xmllint xmlstarlet xq pup", "use grep -P, sed or `js`"},
    {"m4 gettext", "use envsubst, sed or awk"},
    {"col colrm", "use cut or sed"},
    {"screen tmux script expect", "start a process with `&`"},
    {"lsof fuser strace ltrace gdb", "use ps, and what /proc tells"},
    {"vmstat iostat dmesg lsblk lscpu", "use free, df, ps and uname"},
    {"useradd userdel usermod groupadd passwd chsh", "there is one user"},
    {"ts", "use awk '{ print strftime(), $0 }'"},
    {"mawk nawk", "use awk"},
    {"zsh fish ksh dash ash csh tcsh", "use bash or sh"},
    {"htop btop", "use top -b -n1 or ps"},
    {"crontab at batch", "there are no scheduled jobs; use `sleep` in a loop"},
    {"open xdg-open pbcopy pbpaste xclip xsel", "there is no desktop"},
};

const char *command_hint(const char *name) {
    size_t n = strlen(name);
    for (int i = 0; i < DIM(hints); i++)
        for (const char *p = hints[i].names; p && *p; p += strspn(p, " ")) {
            size_t len = strcspn(p, " ");
            if (len == n && memcmp(p, name, n) == 0) return hints[i].text;
            p += len;
        }
    return NULL;
}
