"""What a GPU computes is what the CPU computes: captured steps and updates, texts,
views.
"""

import pytest
import torch

import gptcore
from gptcore import GPTConfig
from gptcore.inference.engine import DecodeEngine
from gptcore.inference.packed import packed_weights
from gptcore.training import StepEvent, Trainer, TrainingConfig
from tiny import make_model, random_ids

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no graphics card here"),
]
SHAPE = GPTConfig(vocab_size=97, n_positions=150, n_embd=48, n_layer=2, n_head=3)


class Drawn:
    batch_size = 4
    window = 32

    def draw(self, index, seed):
        batch = random_ids(SHAPE, self.batch_size, self.window + 1, seed=index)
        return batch[:, :-1], batch[:, 1:]


def on_both(config=SHAPE):
    model = make_model(config).cpu()
    return model, make_model(config).cuda()


@pytest.mark.parametrize(
    "settings",
    [{"temperature": 0}, {"temperature": 0.8, "top_k": 9, "seed": 1}, {"top_p": 0.7, "seed": 2}],
)
def test_a_text_is_the_cpus(settings):
    here, there = on_both()
    exactly = {"max_new_tokens": 200, "precision": "exact", **settings}
    texts = [gptcore.generate(item, [1, 2, 3], **exactly) for item in (here, there)]
    written = [[(token.id, token.rank, token.context_start) for token in text] for text in texts]
    assert written[0] == written[1]


def test_sixteen_bits_say_nearly_the_same():
    here, there = on_both()
    ids = random_ids(SHAPE, 40).tolist()
    logits = []
    for model, precision in ((here, "exact"), (there, "fast")):
        engine = DecodeEngine(model, precision=precision)
        engine.cache.add()
        engine.read(0, ids[:20])
        logits.append(torch.stack([engine.step([token])[0].cpu() for token in ids[20:]]))
    assert engine.cache.data.dtype == torch.float16
    torch.testing.assert_close(logits[0], logits[1], atol=0.05, rtol=0.02)


def test_recorded_steps_are_kept_for_the_next_text():
    _, model = on_both()
    for _ in range(2):
        list(gptcore.generate(model, [1, 2, 3], max_new_tokens=30, temperature=0))
    assert len(packed_weights(model, "exact").idle) == 1


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_recorded_updates_are_the_plain_ones(optimizer, dropout):
    shape = GPTConfig(
        **{**SHAPE.to_dict(), "embd_pdrop": dropout, "resid_pdrop": dropout, "attn_pdrop": 0.0}
    )
    losses = []
    for plain in (True, False):
        torch.manual_seed(0)
        config = TrainingConfig(
            batch_size=4, max_steps=30, warmup_steps=5, optimizer=optimizer, eval_every=10**6
        )
        trainer = Trainer(gptcore.GPT(shape).cuda(), config, Drawn())
        if plain:
            trainer._captured = None
        losses.append([event.loss for event in trainer.events() if isinstance(event, StepEvent)])
        assert plain or trainer._captured._graphs is not None
    assert losses[0] == pytest.approx(losses[1], abs=2e-3)


def test_an_update_that_cannot_be_recorded_is_computed_plainly(caplog):
    torch.manual_seed(0)
    shape = GPTConfig(**{**SHAPE.to_dict(), "embd_pdrop": 0.1})
    trainer = Trainer(
        gptcore.GPT(shape).cuda(),
        TrainingConfig(batch_size=4, max_steps=8, eval_every=10**6),
        Drawn(),
    )
    forward = trainer.model.forward

    def looking(*arguments, **named):
        output = forward(*arguments, **named)
        float(output.loss)  # waits for the GPU
        return output

    trainer.model.forward = looking
    assert sum(isinstance(event, StepEvent) for event in trainer.events()) == 8
    assert "cannot be captured" in caplog.text and trainer._captured._graphs is None


def test_a_run_is_saved_and_resumed(tmp_path):
    losses = []
    for stop in (None, 12):
        torch.manual_seed(0)
        config = TrainingConfig(batch_size=4, max_steps=20, eval_every=10**6)
        trainer = Trainer(gptcore.GPT(SHAPE).cuda(), config, Drawn())
        events = trainer.events()
        if stop:
            while trainer.step < stop:
                next(events)
            trainer.save(tmp_path / "run.safetensors")
            trainer = Trainer(gptcore.GPT(SHAPE).cuda(), config, Drawn())
            trainer.resume(tmp_path / "run.safetensors")
            events = trainer.events()
        losses.append([event.loss for event in events if isinstance(event, StepEvent)][-8:])
    assert losses[0] == pytest.approx(losses[1], abs=2e-3)


def test_maps_and_logits_are_the_cpus():
    here, there = on_both()
    ids = random_ids(SHAPE, 60).tolist()
    ours, theirs = (gptcore.attention_patterns(item, ids).cpu() for item in (here, there))
    torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-3)
