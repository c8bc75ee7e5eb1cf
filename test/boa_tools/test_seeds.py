"""The spread over seeds: ranking, worst values, table."""

from __future__ import annotations

from boa_tools.seeds import COLUMNS, badness, table, worst_of


def run(completed=True, progress=1.0, lost=0.0, closure=1.0, force=0.03, peak=5.0):
    return {
        "completed": completed,
        "path_progress_m": progress,
        "head_path_error_rms_m": None,
        "config_error_rms_rad": None,
        "form_closure_fraction": closure,
        "torque_peak_nm": 2.0,
        "extra": {
            "force_error_relative": force,
            "contact_lost_fraction": lost,
            "contact_chatter_per_contact_s": 0.0,
            "contact_force_peak_n": peak,
        },
    }


RUNS = {
    0: run(),
    1: run(completed=False, progress=0.4),
    2: run(force=0.2),
    3: run(lost=0.01),
    4: run(completed=False, progress=0.1),
    5: run(closure=None, lost=None, force=None),
}


def test_stuck_early_is_worst_then_lost_contacts_then_force_errors():
    ranking = sorted(RUNS, key=lambda seed: badness(RUNS[seed]), reverse=True)
    assert ranking[:5] == [4, 1, 3, 2, 0]


def test_the_worst_of_each_column_may_come_from_any_seed():
    worst = worst_of(RUNS)
    assert worst["completed"] is False
    assert (worst["path_progress_m"], worst["form_closure_fraction"]) == (0.1, 1.0)
    assert (worst["force_error_relative"], worst["contact_lost_fraction"]) == (0.2, 0.01)
    assert worst["head_path_error_rms_m"] is None


def test_the_table_has_a_line_per_seed_and_one_for_the_worst():
    lines = table(RUNS, [4, 1, 3, 2, 0, 5]).splitlines()
    assert [line.split()[0] for line in lines] == ["seed", "4", "1", "3", "2", "0", "5", "worst"]
    assert lines[1].split()[1] == "NO" and lines[3].split()[1] == "yes"
    assert all(heading in lines[0] for _, heading, _, _ in COLUMNS)
    assert lines[-1].split()[5] == "20"  # per cent of the reference
