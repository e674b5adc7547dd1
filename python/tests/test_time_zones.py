"""Local time inside a sandbox: every language reads the same zone database, and $TZ."""

import pytest

from pinfold import Sandbox

#: 2024-07-01 12:00 and 2024-01-01 12:00 UTC
SUMMER, WINTER = 1719835200, 1704110400


@pytest.fixture(scope="module")
def sandbox():
    return Sandbox()


@pytest.mark.parametrize(
    "command",
    [
        "date -d @{t} +%H:%M",
        "printf '%(%H:%M)T\\n' {t}",
        "awk 'BEGIN {{ print strftime(\"%H:%M\", {t}) }}'",
        "jq -nr '{t} | strflocaltime(\"%H:%M\")'",
        "sqlite3 :memory: \"select strftime('%H:%M', {t}, 'unixepoch', 'localtime')\"",
        "node -p 'new Date({t}000).toTimeString().slice(0, 5)'",
        "touch -d @{t} f; ls -l --time-style=+%H:%M f | cut -d' ' -f6",
        "touch -d @{t} f; find f -printf '%TH:%TM\\n'",
        "touch -d @{t} f; date -r f +%H:%M",
    ],
)
@pytest.mark.parametrize(
    ("zone", "summer", "winter"),
    [
        ("America/New_York", "08:00", "07:00"),
        ("Europe/Berlin", "14:00", "13:00"),
        ("Asia/Kolkata", "17:30", "17:30"),
        ("EST5EDT,M3.2.0,M11.1.0", "08:00", "07:00"),
        ("UTC", "12:00", "12:00"),
    ],
)
def test_every_language_has_the_zone(sandbox, command, zone, summer, winter):
    for t, expected in ((SUMMER, summer), (WINTER, winter)):
        result = sandbox.run(f"export TZ='{zone}'\n" + command.format(t=t))
        assert (result.stdout, result.stderr) == (expected + "\n", "")


def test_the_database_is_there(sandbox):
    files = sandbox.run(
        "(cd /usr/share/zoneinfo && ls -d Europe/Paris America/Argentina/Ushuaia UTC EST5EDT && "
        "find . -type f | wc -l && head -c4 Asia/Tokyo && test US/Eastern -ef America/New_York)"
    )
    lines = files.stdout.splitlines()
    assert lines[:4] == ["America/Argentina/Ushuaia", "EST5EDT", "Europe/Paris", "UTC"]
    assert int(lines[4]) > 590
    assert lines[5] == "TZif"
    assert files.ok


def test_a_local_file_can_be_the_zone(sandbox):
    zone = "cp /usr/share/zoneinfo/Asia/Tokyo here; TZ=:$PWD/here date -d @0 '+%H %Z'"
    assert sandbox.run(zone).stdout == "09 JST\n"


def test_zones_are_read_only():
    sandbox = Sandbox()
    assert sandbox.run("echo > /usr/share/zoneinfo/UTC").exit_code == 1
    assert sandbox.run("date -d @0 +%Z").stdout == "UTC\n"
