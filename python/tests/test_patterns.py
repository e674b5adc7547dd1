"""Patterns of the shell on long texts, which take bash minutes."""

from pinfold import Limits, Sandbox

TRIM = """
shopt -s extglob
x=; for ((i = 0; i < 2000; i++)); do x+="some words  of a text $i
"; done
x+='   	 '
y=${x%%+([[:space:]])}; echo $((${#x} - ${#y}))
y=${x##*(!(x))}; echo ${#y}
[[ $x == *(*(*(*(a|b)|c)|d)|e) ]]; echo $?
[[ $x == *!(*some*)+( |	) ]]; echo $?
"""


def test_a_long_text_is_trimmed_at_once():
    """Each of them would take much longer than a run may if groups were tried one by one."""
    with Sandbox(limits=Limits(cpu_seconds=5)) as sandbox:
        result = sandbox.run(TRIM)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.split() == ["6", "0", "1", "0"]
