"""Makes an assistant of a language model: `python -m weights.recipes.assistant --help`.

Two stages, as in Ouyang et al. 2022 with DPO in place of reinforcement learning: instructions made
from stories, then preferences between the model's own answers by a rule.
"""

import json
import math
import random
import signal
import sys
import time
from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch

from gptcore.corpora import read_documents, stories_of
from gptcore.errors import GPTCoreError, TrainingError
from gptcore.finetuning import preference, supervised
from gptcore.finetuning.answering import answering, answers, judge
from gptcore.finetuning.instruction import (
    TEACHING_SHARES,
    Instruction,
    Kind,
    in_conversation,
    instructions,
    unseen,
)
from gptcore.finetuning.supervised import AnswerExample
from gptcore.inference.scoring import score_documents
from gptcore.language_model import LanguageModel, load
from gptcore.machine import DEVICES, choose_device, keep_freed_memory
from gptcore.model import GPT
from gptcore.training import StepEvent, Trainer, encoded
from gptcore.training.config import faster_precision
from gptcore.weights.checkpoint import save_folder
from gptcore.weights.hf_format import clone

_TOLD_EVERY = 50  # updates
_OWN_TOLD_EVERY = 20.0  # seconds
_STORIES = ("words", "about")  # kinds whose answer is a whole story
_EXAMPLE = (
    "For example: python -m weights.recipes.assistant --stories stories.txt --valid others.txt "
    "--out my-assistant --work-dir run --seconds 300"
)


def main(arguments: list[str] | None = None) -> int:
    """Runs what the command line describes; returns the exit status, errors are sentences on
    stderr.
    """
    options = _parser().parse_args(arguments)
    try:
        keep_freed_memory()
        _make(options)
    except GPTCoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="python -m weights.recipes.assistant", description=__doc__, epilog=_EXAMPLE,
        formatter_class=ArgumentDefaultsHelpFormatter,
    )  # fmt: skip
    _add_files(parser)
    _add_instructions(parser)
    _add_preferences(parser)
    add = parser.add_argument
    add("--measured", type=int, default=200, help="held-out instructions that it is measured on")
    add("--checkpoint-every", type=float, default=60.0, help="seconds")
    add("--seed", type=int, default=1)
    where = "where to compute; auto: a graphics card that works"
    add("--device", default="auto", choices=DEVICES, help=where)
    return parser


def _add_files(parser: ArgumentParser) -> None:
    add = parser.add_argument
    begins = "what becomes an assistant: bundled, a folder, a Hub repository"
    add("--model", default="mini", help=begins)
    asked = "stories to ask for, with an empty line or a line <|endoftext|> between two; repeatable"
    add("--stories", action="append", required=True, metavar="FILE", help=asked)
    valid = "held-out stories: instructions and bits per byte to measure with"
    add("--valid", metavar="FILE", help=valid)
    add("--out", type=Path, required=True, help="model folder to write")
    add("--work-dir", type=Path, required=True, help="folder for checkpoints")
    add("--resume", action="store_true", help="go on from the checkpoints in --work-dir")


def _add_instructions(parser: ArgumentParser) -> None:
    """Options of stage 1, instruction tuning."""
    add = parser.add_argument
    number = "how many to make; 0 for a model that has learned them"
    add("--instructions", type=int, default=20_000, help=number)
    talk = "of small talk, beside 0.78 of other requests"
    add("--talk-share", type=float, default=TEACHING_SHARES["talk"], help=talk)
    own = (
        "answer N requests for stories by the model's own best ones instead of the given ones, to "
        "keep its ways"
    )
    add("--own-stories", type=int, default=0, metavar="N", help=own)
    plain = "plain stories, as a share of the instructions"
    add("--plain-share", type=float, default=0.08, help=plain)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seconds", type=float, default=90.0, help="of instruction tuning")
    updates = "of instruction tuning, whatever time they take"
    length.add_argument("--updates", type=int, help=updates)
    add("--batch-size", type=int, default=8, help="rows; each is as long as the window")
    add("--learning-rate", type=float, default=6e-4)
    add("--muon-learning-rate", type=float, default=1.7e-3)


def _add_preferences(parser: ArgumentParser) -> None:
    """Options of stage 2, preference tuning in rounds."""
    add = parser.add_argument
    rounds = "of preference tuning, each on new answers; 0 for none"
    add("--rounds", type=int, default=1, help=rounds)
    add("--asked", type=int, default=300, help="instructions that the model answers in a round")
    add("--answers", type=int, default=4, help="to each of them")
    add("--pairs", type=int, default=1, help="at most, of each instruction's answers")
    rows = "plain stories beside every 8 pairs, to forget less"
    add("--plain-rows", type=int, default=0, help=rows)
    add("--plain-weight", type=float, default=1.0, help="of the loss on them")
    taught = (
        "its probabilities are the targets on plain stories, instead of those before the round; "
        "repeatable"
    )
    add("--teacher", action="append", default=[], metavar="MODEL", help=taught)
    weight = "of the better answer's own loss"
    add("--own-weight", type=float, default=preference.OWN_WEIGHT, help=weight)
    add("--preference-epochs", type=float, default=1.0, help="passes over a round's pairs")
    add("--preference-learning-rate", type=float, default=1e-4)
    beta = "how strongly it is held to where it began"
    add("--beta", type=float, default=preference.BETA, help=beta)


def _check(options: Namespace) -> None:
    """Raises TrainingError for numbers that would otherwise fail only after minutes of writing."""
    least = {
        "instructions": 0,
        "rounds": 0,
        "own_stories": 0,
        "asked": 1,
        "answers": 2,
        "pairs": 1,
        "plain_rows": 0,
    }
    least |= dict.fromkeys(("talk_share", "plain_share", "plain_weight", "own_weight", "beta"), 0)
    for name, low in least.items():
        if not low <= (value := getattr(options, name)) < math.inf:
            raise TrainingError(
                f"--{name.replace('_', '-')} is {value}; it must be at least {low}, and finite."
            )


def _make(options: Namespace) -> None:
    _check(options)
    options.work_dir.mkdir(parents=True, exist_ok=True)
    lm = load(options.model)
    options.device = choose_device(options.device).type
    lm.model.to(options.device)
    held_out = read_documents(options.valid, stories_of) if options.valid else []
    given = dict.fromkeys(
        story for path in options.stories for story in read_documents(path, stories_of)
    )
    stories = [story for story in given if story not in set(held_out)]
    n_apart = len(given) - len(stories)
    apart = f"; {n_apart:,} of them are held out, and left out here" if n_apart else ""
    print(f"{len(given):,} different stories to learn from{apart}", flush=True)
    shares: dict[Kind, float] = {**TEACHING_SHARES, "talk": options.talk_share}
    made = instructions(stories, options.instructions, seed=options.seed, shares=shares)
    questions = (
        unseen(instructions(held_out, 6 * options.measured, seed=7), made) if held_out else []
    )
    measured = [question for question in questions if question.words][: options.measured]
    if not held_out:
        print(
            "--valid FILE, with stories that are held out, would measure requested words, ends "
            "and bits per byte."
        )
    table: dict[str, object] = {}

    def tell(stage: str, model: LanguageModel) -> None:
        table[stage] = _figures(model, measured, held_out)
        if table[stage]:
            print(f"{stage}: {json.dumps(table[stage])}", flush=True)

    tell("before", lm)
    taught = lm
    if options.own_stories:
        made = _with_own_stories(options, lm, made)
    if options.instructions:
        taught = _taught(options, lm, made, stories)
        save_folder(options.work_dir / "instructed", taught.model, taught.tokenizer)
        tell("after instructions", taught)
    window = lm.model.config.n_positions
    told = stories if options.plain_rows else []
    plain = [
        one
        for story in told
        if (one := supervised.plain_example(lm.tokenizer, story, window)) is not None
    ]
    for number in range(1, options.rounds + 1):
        made = instructions(stories, 8 * options.asked, seed=options.seed + number)
        taught = _preferring(options, taught, number, made, plain)
        save_folder(options.work_dir / f"round-{number}", taught.model, taught.tokenizer)
        tell(f"after preferences, round {number}", taught)
    save_folder(
        options.out,
        taught.model,
        taught.tokenizer,
        dtype=torch.float16,
        metadata={"figures": table},
    )
    print(f"saved {options.out}")


def _figures(
    lm: LanguageModel, measured: list[Instruction], held_out: list[str]
) -> dict[str, object]:
    """Evaluation figures of a stage; empty without held-out stories."""
    if not held_out:
        return {}
    score = evaluate_instructions(lm, measured) if measured else {}
    plain = score_documents(
        lm.model, encoded(held_out, lm.tokenizer), start_id=lm.tokenizer.end_id or 0
    )
    figures = {name: round(value, 4) for name, value in score.items()}
    return {**figures, "bits_per_byte": round(plain.bits_per_byte, 4)}


def _with_own_stories(
    options: Namespace, lm: LanguageModel, made: list[Instruction]
) -> list[Instruction]:
    """The instructions with the model's own stories instead of the given ones."""
    file = options.work_dir / "own-stories.json"
    if not (options.resume and file.is_file()):
        prompts = list(
            {
                item.prompt: item for item in made if item.kind in _STORIES and not item.earlier
            }.values()
        )
        stories = list[Instruction]()
        told = time.monotonic()
        answered = own_answers(
            lm, prompts[: options.own_stories], n_each=options.answers, seed=options.seed
        )
        for done, stories in answered:
            if time.monotonic() - told > _OWN_TOLD_EVERY:
                print(f"{done:,} own stories, {len(stories):,} of them kept", flush=True)
                told = time.monotonic()
        file.write_text(json.dumps([asdict(story) for story in stories]), encoding="utf-8")
    draw = random.Random(options.seed)
    own = [
        in_conversation(
            draw, Instruction(item["prompt"], item["answer"], item["kind"], tuple(item["words"]))
        )
        for item in json.loads(file.read_text(encoding="utf-8"))
    ]
    print(f"{len(own):,} requests are answered by its own stories", flush=True)
    return [item for item in made if item.kind not in _STORIES] + own


def _taught(
    options: Namespace, lm: LanguageModel, made: list[Instruction], stories: list[str]
) -> LanguageModel:
    """The model after instruction tuning."""
    window = lm.model.config.n_positions
    examples = supervised.answer_examples(
        lm.tokenizer, made, stories, window, plain_share=options.plain_share
    )
    model = clone(lm.model).requires_grad_(True)
    config = supervised.instruction_config(
        batch_size=options.batch_size,
        seed=options.seed,
        optimizer="muon",
        **(
            {"time_budget": options.seconds}
            if options.updates is None
            else {"max_steps": options.updates}
        ),
        learning_rate=options.learning_rate,
        muon_learning_rate=options.muon_learning_rate,
        precision=faster_precision(options.device),
    )
    print(f"{len(examples):,} examples, made from {len(stories):,} stories", flush=True)
    objective = supervised.AnswerLoss(examples, lm.tokenizer.vocab_size)
    batches = supervised.AnswerBatches(examples, batch_size=config.batch_size, window=window)
    trainer = Trainer(model, config, batches, objective=objective)
    _follow(options, trainer, "instruction")
    return _frozen(model, lm)


def _preferring(
    options: Namespace,
    lm: LanguageModel,
    number: int,
    made: list[Instruction],
    plain: list[AnswerExample],
) -> LanguageModel:
    """The model after a round of preference tuning on its own answers."""
    file = options.work_dir / f"pairs-{number}.json"
    if options.resume and file.is_file():
        kept = json.loads(file.read_text(encoding="utf-8"))
        both = ([AnswerExample(**item[side]) for side in ("better", "worse")] for item in kept)
        pairs = [preference.PreferencePair(*examples) for examples in both]
    else:
        instructions = [item for item in made if item.words or item.kind == "about"][
            : options.asked
        ]
        seed = options.seed + 1000 * number
        written = preference.write_pairs(
            lm, instructions, n_each=options.answers, n_pairs=options.pairs, seed=seed
        )
        _, pairs = list(written)[-1]
        file.write_text(json.dumps([asdict(pair) for pair in pairs]), encoding="utf-8")
    print(f"round {number}: {len(pairs)} pairs of better and worse answers", flush=True)
    n_plain = options.plain_rows
    batches = preference.PreferenceBatches(pairs, batch_size=8, plain=plain, n_plain=n_plain)
    model = clone(lm.model).requires_grad_(True)
    config = preference.preference_config(
        max_steps=max(1, round(options.preference_epochs * batches.updates_per_epoch)),
        seed=options.seed,
        learning_rate=options.preference_learning_rate,
    )
    objective = preference.DirectPreference(
        clone(lm.model),
        beta=options.beta,
        own_weight=options.own_weight,
        n_plain=n_plain,
        teachers=[load(name).model.to(options.device) for name in options.teacher],
        plain_weight=options.plain_weight,
    )
    trainer = Trainer(model, config, batches, objective=objective)
    _follow(options, trainer, f"preference-{number}")
    return _frozen(model, lm)


def _frozen(model: GPT, lm: LanguageModel) -> LanguageModel:
    return LanguageModel(model.requires_grad_(False).eval(), lm.tokenizer, f"{lm.name}, tuned")


def _follow(options: Namespace, trainer: Trainer, stage: str) -> None:
    """Trains to the end, with progress lines and checkpoints; Ctrl-C takes effect between two
    updates.
    """
    file = options.work_dir / f"{stage}.safetensors"
    saved = time.monotonic()
    interrupted = list[bool]()
    if options.resume and file.is_file():
        trainer.resume(file)
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: interrupted.append(True))
    event: StepEvent | None = None
    for event in (item for item in trainer.events() if isinstance(item, StepEvent)):
        if event.step % _TOLD_EVERY == 0:
            print(f"{stage} {event.step}  loss {event.loss:.3f}  {event.elapsed:.0f} s", flush=True)
        if interrupted or time.monotonic() - saved > options.checkpoint_every:
            trainer.save(file)
            saved = time.monotonic()
        if interrupted:
            at = f"{stage} after {trainer.step} updates"
            raise TrainingError(f"Stopped in {at}. The same command with --resume goes on.")
    if event is not None:
        print(f"{stage}: {event.step:,} updates, the last loss {event.loss:.3f}", flush=True)
    trainer.save(file)


def evaluate_instructions(
    lm: LanguageModel, instructions: Sequence[Instruction], *, seed: int = 1
) -> dict[str, float]:
    """Answers each instruction once, with the `WRITING` settings, and judges the answers by the
    rule.

    Returns:
        "all_words", share of the answers that contain all requested words; "words", share of all
        requested words that are used; "ends", share of the answers that end by themselves, at the
        end of a sentence; "repeated", mean share of repeated runs of four words; "n_words", mean
        length; and "n", how many answers there are.

    Raises:
        ZeroDivisionError: no instructions.
    """
    prompts = [instruction.prompt for instruction in instructions]
    n = len(instructions)
    judged = [
        judge(a.text, instructions[place].words, ended=a.ended)
        for place, a in answers(lm, prompts, seed=seed)
    ]
    means = {
        name: sum(getattr(item, name) for item in judged) / n
        for name in ("used", "ends", "repeated", "n_words")
    }
    return {
        "all_words": sum(item.used == 1.0 for item in judged) / n,
        "words": means.pop("used"),
        **means,
        "n": n,
    }


def own_answers(
    lm: LanguageModel, instructions: Sequence[Instruction], *, n_each: int = 4, seed: int = 1
) -> Iterator[tuple[int, list[Instruction]]]:
    """The requests with the best of the model's own answers, where it has all words and ends
    (rejection sampling).

    Source: Touvron et al. 2023, "Llama 2", section 3.2.3. A model that reads them keeps what it can
    do already.

    Yields:
        after every step of the batch, how many answers are written, and the requests answered so
        far.
    """
    kept = list[Instruction]()
    done = 0
    for item in answering(lm, [each.prompt for each in instructions], n_each=n_each, seed=seed):
        if item is None:
            yield done, kept
            continue
        place, written = item
        done += n_each
        judged = [
            (judge(each.text, instructions[place].words, ended=each.ended), each)
            for each in written
        ]
        verdict, best = max(judged, key=lambda pair: pair[0].score)
        if verdict.used == 1.0 and verdict.ends:
            kept.append(replace(instructions[place], answer=best.text))


if __name__ == "__main__":
    sys.exit(main())
