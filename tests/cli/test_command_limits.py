"""Commands that meet a limit say so, and the script goes on."""


def test_sort_of_more_than_its_memory_fails_clearly(pinfold):
    script = "seq 1000000 > f; sort f > g; echo $?; wc -c < g; rm f g; echo on"
    done = pinfold("-c", script, "--limit", "process_memory_bytes=8M")
    assert done.stdout == "2\n0\non\n"
    assert done.stderr == "sort: memory exhausted\n"
