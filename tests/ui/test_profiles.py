"""What a server is started for decides what it keeps, and for how long."""

from ui.services import make_services
from ui.state.limits import PROFILES
from ui.state.sessions import SessionStore

HOUR = 3600.0


def kept_for(profile, hours):
    """Whether an idle session is still the same after so many hours and another visit."""
    now = [0.0]
    store = SessionStore(PROFILES[profile], lambda: now[0])
    before = store.get("idle")
    now[0] = hours * HOUR
    store.get("another")
    return store.get("idle") is before


def test_on_stage_an_idle_tab_keeps_its_text_all_day_and_on_a_space_for_a_quarter_of_an_hour():
    assert kept_for("talk", 11) and not kept_for("talk", 13)
    assert kept_for("local", 0.9) and not kept_for("local", 1.1)
    assert kept_for("space", 0.2) and not kept_for("space", 0.3)


def test_on_stage_a_reading_and_a_run_that_nobody_looks_at_stay_as_long_as_the_talk():
    assert PROFILES["talk"].reading_seconds == PROFILES["talk"].session_seconds
    assert PROFILES["talk"].training_grace == PROFILES["talk"].session_seconds


def test_a_space_allows_nothing_more_than_a_machine_of_one_s_own():
    local, space = PROFILES["local"], PROFILES["space"]
    for name, most in vars(space).items():
        assert most <= getattr(local, name), name
    smaller = {name for name, most in vars(space).items() if most < getattr(local, name)}
    assert {"any_model", "model_bytes", "training_seconds", "temporary_bytes"} <= smaller


def test_further_heavy_computations_wait(monkeypatch):
    services = make_services(limits=PROFILES["local"], offline=True)
    try:
        inside = [services.heavy.enter() for _ in range(3)]
        admitted = [ticket.__enter__().admitted for ticket in inside]
        assert admitted == [True, True, False]
        for ticket in inside:
            ticket.__exit__(None, None, None)
    finally:
        services.close()
