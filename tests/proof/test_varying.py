"""What varies from run to run is taken out of outputs before they are compared, and nothing else."""

import pytest

from affidavit.proof.running.outputs import steady


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<shop.Cart object at 0x7f3a5c2d1e50>", "<shop.Cart object at 0x7fa1b2c3d4e0>"),
        ("<function f at 0x10a2b3c>", "<function f at 0x20a2b3c>"),
        ("main.f(0xc000012340, 0x2)", "main.f(0xc000098760, 0x2)"),
        ("ptr=0x55d3f1c0a2b0", "ptr=0x5601f1c0a2b0"),
        ("wrote /tmp/tmpab12_x9z/out.txt", "wrote /tmp/tmpzz99qq1k/out.txt"),
        ("wrote /tmp/shop-Ab3dE9/out.txt", "wrote /tmp/shop-Zz0aQ1/out.txt"),
        ("/tmp/pytest-of-user/pytest-0/a", "/tmp/pytest-of-user/pytest-12/a"),
        ("/tmp/go-build123/b001/exe/main", "/tmp/go-build98765/b001/exe/main"),
        ("/tmp/d20261117-12-a1b2c3/x", "/tmp/d20261117-98-zz9/x"),
        ("Ran 3 tests in 0.001s\n\nOK", "Ran 3 tests in 12.5s\n\nOK"),
        ("1 failed, 2 passed in 0.05s", "1 failed, 2 passed in 1.20s"),
        ("2 passed in 61.20s (0:01:01)", "2 passed in 75.20s (0:01:15)"),
        ("ok  \tshop\t0.003s", "ok  \tshop\t1.25s"),
        ("--- FAIL: TestPrice (0.00s)", "--- FAIL: TestPrice (0.12s)"),
        ("# duration_ms 12.301", "# duration_ms 9.8"),
        ("✔ adds (1.2345ms)", "✔ adds (0.9ms)"),
        ("Time:        1.234 s", "Time:        0.9 s"),
        ("Time: 00:00.012, Memory: 4.00 MB", "Time: 00:01.500, Memory: 4.00 MB"),
        (
            "Finished in 0.00123 seconds (files took 0.1 seconds to load)",
            "Finished in 0.5 seconds (files took 0.25 seconds to load)",
        ),
        (
            "Finished in 0.001s, 912.4 runs/s, 1824.8 assertions/s.",
            "Finished in 0.1s, 10.0 runs/s, 20.1 assertions/s.",
        ),
    ],
)
def test_two_runs_of_the_same_program_read_the_same(one: str, other: str) -> None:
    assert one != other
    assert steady(one) == steady(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0xdeadbeef", "0xdeadbeee"),
        ("mask 0x7f", "mask 0x7e"),
        ("sha 7f3a5c2d1e50", "sha 7fa1b2c3d4e0"),
        ("Ran 3 tests in 0.001s", "Ran 2 tests in 0.001s"),
        ("3 passed in 0.05s", "2 passed in 0.05s"),
        ("wait 5s", "wait 6s"),
        ("retry in 5s", "retry in 6s"),
        ("takes (5ms)", "takes (6ms)"),
        ("timeout=(1.5s)x", "timeout=(2.5s)x"),
        ("/tmp/report-summary", "/tmp/report-details"),
        ("/var/data/tmpab12_x9z", "/var/data/tmpzz99qq1k"),
        ("Time: 12 items", "Time: 13 items"),
        ("--- PASS: TestPrice (0.00s)", "--- FAIL: TestPrice (0.00s)"),
    ],
)
def test_what_a_program_was_written_to_show_stays_a_difference(one: str, other: str) -> None:
    assert steady(one) != steady(other)
