"""The named endpoints for programs: typed, documented, with the page's own checks."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gradio as gr

from gptcore.inference.sampling_settings import CONTROLS, CUT_OFFS
from ui.errors import shown_to_visitor
from ui.lenses.attention.handlers import maps
from ui.lenses.attention.handlers import program as attention
from ui.lenses.generate.handlers import program as writing
from ui.lenses.parameters.handlers import program as parameters
from ui.lenses.train.handlers import program as train
from ui.lenses.zero_shot.handlers import program as zero_shot
from ui.lenses.zero_shot.handlers.example import TASK_MODEL
from ui.server.gradio_internals import api_reference
from ui.server.gradio_internals.api_reference import Endpoint
from ui.services import Services
from ui.shared import inputs
from ui.shared.inputs import InputError


def add_endpoints(services: Services) -> dict[str, Endpoint]:
    """Adds /generate, /next_token, /attention, /attribution, /patching, /parameters, /train and /zero_shot to the page.

    Returns:
        what each takes and answers, for people.
    """
    shared = {"concurrency_id": "model", "concurrency_limit": services.limits.concurrent_visits}
    endpoints = {
        "generate": _with_sampling(_generate(services)),
        "next_token": _with_sampling(_next_token(services), leave_out=("min_new_tokens",)),
        "attention": _attention_of(services),
        "attribution": _attribution_of(services),
        "patching": _patching_of(services),
        "parameters": _parameters_of(services),
        "train": _train_of(services),
        "zero_shot": _zero_shot_of(services),
    }
    for name, function in endpoints.items():
        function.__name__ = name  # as tools of the Model Context Protocol are called
        gr.api(function, api_name=name, **shared)
    return {name: api_reference.described(name, function) for name, function in endpoints.items()}


def _generate(services: Services) -> Callable[..., Iterator[dict[str, Any]]]:
    def generate(
        prompt: str,
        max_new_tokens: int = 50,
        stop: str | list[str] = "",
        seed: int | None = None,
        n: int = 1,
        use_cache: bool = True,
        model: str = services.models.default,
        bad_words: str | list[str] = "",
        **sampling: float,
    ) -> Iterator[dict[str, Any]]:
        """Continues a prompt, and answers while it writes: a client's `submit` iterates, `predict` waits for the end.

        Args:
            prompt: text to continue.
            max_new_tokens: tokens to write at most.
            stop: stop strings: a list, or a text with one a line, in which \\n stands for a newline.
            seed: the same seed gives the same text; null draws one.
            n: how many texts, 1 to 4.
            use_cache: keep keys and values between tokens.
            model: a name from the page's list.
            bad_words: words or phrases that may not occur, as `stop` takes them.

        Returns:
            model, prompt, seed, texts, tokens (id, text, natural logprob, rank) and ends, one each a text.
        """
        controls = {
            **sampling,
            "max_new_tokens": max_new_tokens,
            "stop": stop,
            "seed": seed,
            "use_cache": use_cache,
            "tokens_per_second": 0,
        }
        with shown_to_visitor():
            form = inputs.writing_form(controls, services.limits)
            yield from writing.generate(services, model, prompt, n, form, bad_words)

    return generate


def _next_token(services: Services) -> Callable[..., dict[str, Any]]:
    def next_token(
        prompt: str, n_rows: int = 20, model: str = services.models.default, **sampling: float
    ) -> dict[str, Any]:
        """The distribution of the token after a prompt, stage by stage, exact over the full vocabulary.

        Args:
            prompt: text to continue.
            n_rows: how many of the most likely tokens to list, 1 to 1000.
            model: a name from the page's list.

        Returns:
            vocab_size; stages (name, candidates left, entropy in bits, probability removed); rows (token id, label
            and a probability for each stage).
        """
        with shown_to_visitor():
            return {**writing.next_token(services, model, prompt, n_rows, inputs.sampling(sampling))}

    return next_token


def _attention_of(services: Services) -> Callable[..., dict[str, Any]]:
    def attention_of(
        prompt: str,
        layer: int | None = None,
        head: int | None = None,
        sink: str = maps.RAW,
        keep: str = "end",
        model: str = services.models.default,
    ) -> dict[str, Any]:
        """Where every head looks while the model reads a text, and what the heads do.

        Args:
            prompt: text to read.
            layer: from 0; with head, its full map is returned too.
            head: from 0.
            sink: "raw", "end-of-text in front", or "without the first token" (left out, the rest scaled to sum to 1).
            keep: "beginning" or "end" of a text that is longer than the model's window.
            model: a name from the page's list.

        Returns:
            model, tokens, token_ids, note (what was cut), n_layer, n_head, scores on this text and on repeated random
            tokens (name -> one number for each layer and head; null where there is no occasion), roles, and weights
            [reading token][looked-at token] of the chosen head, or null.
        """
        with shown_to_visitor():
            return attention.attention_maps(services, model, prompt, layer, head, sink, keep)

    return attention_of


def _attribution_of(services: Services) -> Callable[..., dict[str, Any]]:
    def attribution_of(
        prompt: str, token: str = "", against: str = "", model: str = services.models.default
    ) -> dict[str, Any]:
        """Why a token and not another: the difference of their logits as a sum over the parts of the model.

        Args:
            prompt: text that the token follows.
            token: one token's text, such as " ball"; "" for the likeliest.
            against: its rival; "" for the likeliest other one.
            model: a name from the page's list; a pre-norm one.

        Returns:
            model, token, against, total (the difference of both logits) and parts, [name, what it writes], the largest
            first: "token" and "position" for the embeddings, "L0H0" for a head, "L0 MLP", "constants" for biases.
        """
        with shown_to_visitor():
            return attention.attribution(services, model, prompt, token, against)

    return attribution_of


def _patching_of(services: Services) -> Callable[..., dict[str, Any]]:
    def patching_of(
        source: str,
        target: str,
        kind: str = "residual",
        model: str = services.models.default,
        token: str = "",
        against: str = "",
    ) -> dict[str, Any]:
        """Which place of a text carries its answer: another text's run, patched with the first one's values.

        Args:
            source: the text whose values are taken.
            target: the text whose run is patched; of as many tokens, at most 40.
            kind: "residual", "attention", "mlp" or "head".
            model: a name from the page's list.
            token: one token's text, the answer that is carried; "" for what source goes on with.
            against: its rival; "" for what target goes on with.

        Returns:
            model, source and target (tokens), answers (token and against), and grid: the share of the
            difference that comes back, by depth and position for "residual", by layer and position for "attention" and
            "mlp", by layer and head for "head".
        """
        with shown_to_visitor():
            return attention.patching(services, model, source, target, kind, token, against)

    return patching_of


def _parameters_of(services: Services) -> Callable[..., dict[str, Any]]:
    def parameters_of(
        preset: str | None = None,
        vocab_size: int = 50257,
        n_positions: int = 1024,
        n_layer: int = 12,
        n_head: int = 12,
        n_embd: int = 768,
        n_inner: int = 0,
        tie_word_embeddings: bool = True,
        attention_bias: bool = True,
        use_mlp: bool = True,
        use_positions: bool = True,
        norm_position: str = "pre",
        batch_size: int = 8,
        n_tokens: int | None = None,
    ) -> dict[str, Any]:
        """What a shape is made of and what it costs, without building it.

        Args:
            preset: gpt1, gpt1-preln, gpt2, gpt2-medium, gpt2-large, gpt2-xl and others; the fields after it then do
                not count.
            vocab_size: V.
            n_positions: window in tokens.
            n_layer: blocks.
            n_head: heads in a block; divides n_embd.
            n_embd: C, width.
            n_inner: width inside the MLP; 0 means four times n_embd.
            tie_word_embeddings: the output head is the token embedding again.
            attention_bias: biases in attention.
            use_mlp: MLPs in the blocks.
            use_positions: learned positions.
            norm_position: "pre" (GPT-2) or "post" (GPT-1).
            batch_size: sequences of a training step.
            n_tokens: tokens in each, at most the window; null means 256, or the window if that is shorter.

        Returns:
            total; without_positions and without_embeddings (less those tables); components (name, formula, numbers,
            count); bytes (weights at 32, 16 and 8 bits, AdamW's gradients and moments, KV cache of a token and of the
            window, activations with and without attention maps); flops of a token, forward and in training.
        """
        controls = {
            "vocab_size": vocab_size,
            "n_positions": n_positions,
            "n_layer": n_layer,
            "n_head": n_head,
            "n_embd": n_embd,
            "n_inner": n_inner,
            "tie_word_embeddings": tie_word_embeddings,
            "attention_bias": attention_bias,
            "use_mlp": use_mlp,
            "use_positions": use_positions,
            "norm_position": norm_position,
        }
        with shown_to_visitor():
            return parameters.parameters(preset, controls, batch_size, n_tokens)

    return parameters_of


def _train_of(services: Services) -> Callable[..., dict[str, Any]]:
    def train_of(
        action: str = "start",
        run: str = "",
        text: str = "anthology",
        preset: str = "30 seconds, letters",
        length: str = "30",
        max_steps: int = 1000,
        learning_rate: float | None = None,
        seed: int = 1,
        optimizer: str | None = None,
        key: str = "",
        settings: dict[str, Any] | None = None,
        n_positions: int | None = None,
    ) -> dict[str, Any]:
        """Starts a training run on the server, asks how it goes, or stops it.

        Args:
            action: "start", "status" or "stop".
            run: the run's id, for status and stop.
            text: anthology, world, tasks, python_reference, python_source, repeated, or the text itself.
            preset: a preset of the Train tab.
            length: "30", "60" or "120" seconds, "cap" for the maximum that this server allows, "steps" for max_steps,
                "epochs" for the preset's passes over the text.
            max_steps: updates, when the length is "steps".
            learning_rate: peak; null takes the preset's.
            seed: of the initial weights and the batches.
            optimizer: "adamw" or "muon"; null takes the preset's.
            key: for stop, what start answered, so that nobody else ends the run.
            settings: any other field of the form by its name in links, such as {"n_layer": 2, "dropout": 0.1}.
            n_positions: window in tokens, shorter than the text; null takes the preset's.

        Returns:
            run, key (of start alone), title, state (ready, queued, starting, running, paused, ending, ended), queue
            (number and seconds until it begins, or null), reason, step, seconds, seconds_left, tokens_per_second, loss,
            valid_loss and final_loss in nats per token, learning_rate, lines to compare with, sample, and model: the
            name under which the other endpoints take the trained model.
        """
        given = {"length": length, "max_steps": max_steps, "learning_rate": learning_rate, "seed": seed}
        given |= {"optimizer": optimizer, "n_positions": n_positions}
        with shown_to_visitor():
            if settings is not None and not isinstance(settings, dict):
                raise InputError(f"The settings are {str(settings)[:60]!r}; give an object of fields and values.")
            given |= settings or {}
            return train.by_program(services, action, run, key, text, preset, given)

    return train_of


def _zero_shot_of(services: Services) -> Callable[..., dict[str, Any]]:
    def zero_shot_of(
        task: str,
        fields: dict[str, str] | None = None,
        template: str = "",
        n_examples: int = 0,
        prompt: str = "",
        labels: str = "",
        max_new_tokens: int | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        seed: int = 1,
        model: str = TASK_MODEL,
        top_p: float | None = None,
    ) -> dict[str, Any]:
        """Puts a task to a model from a prompt alone.

        Args:
            task: summarise, translate, question, fact, sentiment, story, cloze, arithmetic or analogy.
            fields: the task's inputs, such as {"english": "the red cat"} or {"text": ..., "question": ...}.
            template: a template's name; "" takes the first.
            n_examples: worked examples first, 0 to 8.
            prompt: what the model shall read instead of the assembled prompt, if not "".
            labels: answers to compare by likelihood, one a line; "" takes the task's, if it has some.
            max_new_tokens: of the answer; null takes the paper's setting.
            temperature: 0 always takes the most likely token; null takes the paper's setting.
            top_k: 0 is off; null takes the paper's setting.
            seed: the same seed gives the same answer.
            model: a name from the page's list.
            top_p: 1 is off; null takes the paper's setting.

        Returns:
            model, task, template, prompt, parts (kind, text), note (what was cut), budget (tokens), answer, written,
            seed, tokens (id, text, natural logprob), and labels (label, logprob, per_token, share).
        """
        given = {
            "labels": labels or None,
            "max_new_tokens": max_new_tokens,
            "temperature": temperature,
            "top_k": top_k,
            "top_p": top_p,
            "seed": seed,
        }
        with shown_to_visitor():
            return zero_shot.by_program(services, model, task, fields or {}, template, n_examples, prompt, given)

    return zero_shot_of


def _with_sampling(function: Callable[..., Any], *, leave_out: tuple[str, ...] = ()) -> Callable[..., Any]:
    """An endpoint whose `**sampling` is spelled out: every control with its type, its neutral value and its help.

    Args:
        function: takes the controls by name.
        leave_out: controls that mean nothing here, and stay neutral.
    """
    offered = {name: control for name, control in CONTROLS.items() if name not in leave_out} | CUT_OFFS
    kept = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
    added = [
        inspect.Parameter(name, kept[0].kind, default=int(c.neutral) if c.is_whole else float(c.neutral))
        for name, c in offered.items()
    ]
    place, n_last = 2 if kept[1].name == "max_new_tokens" else 1, len(CUT_OFFS)
    # Programs pass arguments by their places, too: what came later stands last.
    parameters = [*kept[:place], *added[:-n_last], *kept[place:], *added[-n_last:]]
    neutral = {name: CONTROLS[name].neutral for name in leave_out}

    def named(values: Sequence[object]) -> dict[str, Any]:
        return {**dict(zip([p.name for p in parameters], values, strict=True)), **neutral}

    def streamed(*values: object) -> Iterator[Any]:
        yield from function(**named(values))

    def answered(*values: object) -> Any:
        return function(**named(values))

    called = streamed if inspect.isgeneratorfunction(function) else answered

    called.__name__ = function.__name__
    hints = {name: int if c.is_whole else float for name, c in offered.items()}
    called.__annotations__ = {**function.__annotations__, **hints}
    called.__annotations__.pop("sampling")
    called.__signature__ = inspect.Signature(
        parameters, return_annotation=inspect.signature(function).return_annotation
    )  # pyright: ignore[reportFunctionMemberAccess]
    head, args, rest = inspect.cleandoc(function.__doc__ or "").partition("Args:\n")
    first, _, others = rest.partition("\n")
    helps = "".join(f"    {name}: {control.help}\n" for name, control in offered.items())
    called.__doc__ = f"{head}{args}{first}\n{helps}{others}"
    return called
