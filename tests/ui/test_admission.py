"""The line of texts that wait to be written."""

import threading
from dataclasses import replace

from gptcore.inference.sampling_settings import SamplingSettings
from helpers import last_stream, until
from ui.compute.admission import AdmissionQueue, Place
from ui.endpoints import ENDPOINTS
from ui.lenses.generate.compare.comparing import compare
from ui.lenses.generate.handlers.strategies import FROM_SLIDERS, OFF
from ui.lenses.generate.write import writing
from ui.services import make_services
from ui.shared.inputs import WritingForm
from ui.state.limits import PROFILES


def _form(n: int) -> WritingForm:
    return WritingForm(SamplingSettings(), n, (), 3, True, 0.0)


def test_texts_begin_in_their_order_know_their_place_and_whoever_gives_up_leaves_the_line():
    now = [0.0]
    admission = AdmissionQueue(1, clock=lambda: now[0])
    with admission.enter() as first, admission.enter() as second, admission.enter() as third:
        assert list(first.waiting()) == [] and first.admitted
        assert next(second.waiting()) == Place(0, None) and next(third.waiting()) == Place(1, None)
        now[0] = 8.0
        first.leave()
        first.leave()
        # the second has begun, whether it listens or not
        assert next(third.waiting()) == Place(0, 8.0)
        assert list(second.waiting()) == [] and second.admitted
        second.leave()
        assert list(third.waiting()) == []
    with admission.turn():
        pass
    admission = AdmissionQueue(1)
    with admission.turn():
        with admission.enter() as impatient:
            assert len(list(impatient.waiting(lambda: False))) == 1 and not impatient.admitted
        with admission.enter() as behind:
            assert next(behind.waiting()).ahead == 0


def test_a_text_waits_visibly_then_is_the_same_as_without(services):
    form = _form(5)
    alone = list(writing.write(services, "alone", "tiny", "the cat", form))[-2].stream
    full = replace(services, admission=AdmissionQueue(1))
    with full.admission.enter() as other:
        assert list(other.waiting()) == []
        views = writing.write(full, "second", "tiny", "the cat", form)
        assert "waiting" not in next(views).stream
        assert "the next text is yours" in next(views).stream
        columns, _ = next(
            compare(full, "third", "tiny", "the cat", form, [FROM_SLIDERS, OFF], True)
        )
        assert "1 text is ahead" in columns[0] and columns[1] == ""
        other.leave()
        streams = [view.stream for view in views if view.stream]
    assert "waiting" not in streams[-1]
    tokens = [
        [line for line in text.splitlines() if '"token"' in line] for text in (alone, streams[-1])
    ]
    assert tokens[0] == tokens[1] and len(tokens[0]) == 5


def test_a_text_that_waits_can_be_stopped_and_the_page_says_so(services):
    full = replace(services, admission=AdmissionQueue(1))
    with full.admission.turn():
        views = writing.write(full, "v", "tiny", "the cat", _form(5))
        next(views), next(views)
        full.sessions.get("v").stop()
        streams = [view.stream for view in views if view.stream]
    assert '"end":"stopped"' in streams[-1] and '"token"' not in streams[-1]


def test_a_text_that_is_shown_slowly_keeps_nobody_waiting_once_it_is_computed(services):
    full = replace(services, admission=AdmissionQueue(1))
    slow = replace(_form(30), tokens_per_second=1.0)
    shown = []

    def show() -> None:
        shown.extend(writing.write(full, "slow", "tiny", "the cat", slow))

    showing = threading.Thread(target=show, daemon=True)
    showing.start()
    until(lambda: full.sessions.get("slow").document)
    with full.admission.enter() as other:
        list(other.waiting())
        assert other.admitted and showing.is_alive()
    full.sessions.get("slow").stop()
    showing.join(60)
    assert not showing.is_alive() and last_stream(shown).count('"token"') < 30


def test_a_program_waits_for_its_turn(services):
    full = replace(services, admission=AdmissionQueue(1))
    answers = []
    with full.admission.turn():
        asks = threading.Thread(
            target=lambda: answers.extend(ENDPOINTS["generate"](full, "the", 2, model="tiny"))
        )
        asks.start()
        asks.join(1.0)
        assert not answers
    asks.join(60)
    assert len(answers[-1]["tokens"][0]) == 2


def test_computations_wait_in_a_line_of_their_own():
    limits = replace(PROFILES["local"], heavy_at_once=1, texts_at_once=3)
    made = make_services(limits=limits, offline=True)
    with made.heavy.enter() as first, made.heavy.enter() as second:
        assert list(first.waiting()) == [] and str(next(second.waiting())).endswith("is yours")
        assert "computation" in str(next(second.waiting()))
    with made.admission.enter() as first, made.admission.enter() as second:
        assert list(first.waiting()) == list(second.waiting()) == []
