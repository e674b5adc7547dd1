"""Commands that meet a limit say so, and the script goes on."""


def test_sort_of_more_than_its_memory_fails_clearly(pinfold):
    script = "seq 1000000 > f; sort f > g; echo $?; wc -c < g; rm f g; echo on"
    done = pinfold("-c", script, "--limit", "process_memory_bytes=8M")
    assert done.stdout == "2\n0\non\n"
    assert done.stderr == "sort: memory exhausted\n"


def test_jq_ends_with_a_message_where_it_would_recurse_without_end(pinfold):
    nest = "def d($n): reduce range($n) as $i (0; {a: .});"
    programs = {
        "d(500) | . == d(500), . < d(500), contains(d(500)), (. * d(500) | length)": 0,
        "d(100000) | tojson | length": 0,
        "d(100000) == d(100000)": 5,
        "d(100000) < d(100000)": 5,
        "d(100000) as $d | $d | contains(d(100000))": 5,
        "d(100000) * d(100000) | length": 5,
        '[range(100000) | "a"] as $p | null | setpath($p; 3) | getpath($p)': 0,
        '[range(250) | "a"] as $p | null | setpath($p; 3) | delpaths([$p]) | length': 0,
        '[range(100000) | "a"] as $p | null | setpath($p; 3) | delpaths([$p])': 5,
        "[] | .[178956970] = 1": 5,
        '"ab" * 2147483648 | length': 5,
        '"" * 2147483648 | length': 0,
    }
    for program, status in programs.items():
        done = pinfold("-c", f"jq -nc '{nest} {program}'")
        assert done.returncode == status, (program, done)
        assert bool(done.stderr) == bool(status), (program, done)
        assert "fault" not in done.stderr, program


def test_jq_modules_in_a_circle(pinfold):
    script = """
        echo 'import "b" as b; def x: 1;' > a.jq
        echo 'import "a" as a; def x: 1;' > b.jq
        echo 'def x: 7;' > c.jq
        echo 'import "c" as c; def x: c::x;' > d.jq
        jq -n -L . 'import "d" as d; d::x'
        jq -n -L . 'import "a" as a; 1' 2>&1 | grep -c 'in a circle'
        exit ${PIPESTATUS[0]}
    """
    done = pinfold("-c", script)
    assert (done.stdout, done.returncode) == ("7\n1\n", 3)


def test_trees_deeper_than_a_path_is_long(pinfold):
    script = """
        mkdir deep && cd deep
        for ((i = 0; i < 3000; i++)); do mkdir d && cd d || exit; done
        echo needle > file
        chmod 600 file
        cd /workspace
        find deep | wc -l
        find deep -name file -size -2 -perm 600 -printf '%d %f %s\n'
        grep -rl needle deep | wc -c
        du -a deep | wc -l
        chmod -R a+r deep
        find deep -type f -perm 644 -delete
        find deep -depth -empty | wc -c
        rm -r deep
        echo $?
        ls
    """
    done = pinfold("-c", script)
    assert (done.stdout, done.stderr) == (
        "3002\n3001 file 7\n6010\n3002\n6005\n0\n",
        "",
    )


def test_awk_says_what_it_cannot_start(pinfold):
    awk = "awk 'BEGIN { %s }'; echo $?"
    for program, message, status in (
        ('print "x" | "cat"', "fatal: cannot open pipe `cat' for output", 2),
        ('"echo a" | getline; print', "fatal: cannot open pipe `echo a' for input", 2),
        ('print "x" |& "cat"', "fatal: cannot open two way pipe `cat' for input/output", 2),
        ('print system("echo a")', "warning: system: cannot run `echo a'", 0),
    ):
        done = pinfold("-c", awk % program, "--limit", "processes=2")
        assert done.stdout.splitlines()[-1] == str(status), (program, done)
        assert message + ": Resource temporarily unavailable" in done.stderr, (program, done)


def test_awk_or_the_loader_says_that_memory_is_used_up(pinfold):
    for megabytes in (7, 8, 9, 10, 12):
        done = pinfold(
            "-c", """awk 'BEGIN { print "x" | "cat" }'""", "--limit", f"memory_bytes={megabytes}M"
        )
        assert done.stdout == "x\n" or "memory" in done.stderr, (megabytes, done)
