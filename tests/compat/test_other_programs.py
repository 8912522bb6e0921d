"""Programs that take a folder of GPT Lens as it is: the same tokens as here."""

import json
from pathlib import Path

import pytest
import torch

import gptcore
from gptcore.weights.checkpoint import save_folder

PROMPT = "Once upon a time, there was a"
N = 20


def greedy(lm: gptcore.LanguageModel) -> list[int]:
    made = gptcore.generate(
        lm, PROMPT, max_new_tokens=N, temperature=0, precision="exact", stop_at_end=False
    )
    return [token.id for token in made]


@pytest.mark.parametrize("name", ["mini", "assistant", "world"])
def test_ctranslate2_writes_the_same_from_a_bundled_folder_and_from_a_saved_one(name, tmp_path):
    ctranslate2 = pytest.importorskip("ctranslate2")
    lm = gptcore.load(name)
    saved = save_folder(tmp_path / "saved", lm.model, lm.tokenizer)
    for index, folder in enumerate((gptcore.bundled_models()[name], saved)):
        converted = ctranslate2.converters.TransformersConverter(str(folder)).convert(
            str(tmp_path / f"ct2-{index}")
        )
        generator = ctranslate2.Generator(converted, device="cpu", compute_type="float32")
        tokens = [_spelled(Path(converted), i) for i in lm.tokenizer.encode(PROMPT)]
        (made,) = generator.generate_batch(
            [tokens], max_length=N, min_length=N, sampling_topk=1, include_prompt_in_result=False
        )
        assert made.sequences_ids[0] == greedy(lm)


def _spelled(folder: Path, token_id: int) -> str:
    """A token as the converted vocabulary spells it."""
    return json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))[token_id]


def test_a_transformers_model_that_is_made_here_stops_at_the_end_of_a_document():
    lm = gptcore.load("mini")
    model = gptcore.to_hf(lm.model, end_id=lm.tokenizer.end_id)
    assert model.config.eos_token_id == model.generation_config.eos_token_id == lm.tokenizer.end_id
    ids = torch.tensor([lm.tokenizer.encode(PROMPT)])
    with torch.inference_mode():
        made = model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=250, do_sample=False
        )[0]
    ours = gptcore.generate(lm, PROMPT, max_new_tokens=250, temperature=0, precision="exact")
    assert made[ids.shape[1] :].tolist()[:40] == [token.id for token in ours][:40]
    assert gptcore.to_hf(lm.model).config.eos_token_id is None


@pytest.mark.parametrize("name", sorted(gptcore.bundled_models()))
def test_a_bundled_folder_names_its_window_as_llama_cpp_s_converter_reads_it_and_has_a_card_for_the_hub(
    name,
):
    folder = gptcore.bundled_models()[name]
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["n_ctx"] == config["n_positions"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    _, metadata, body = card.split("---\n", 2)
    assert (
        "license: mit" in metadata
        and "language:" in metadata
        and body.lstrip().startswith(f"# {name}")
    )
