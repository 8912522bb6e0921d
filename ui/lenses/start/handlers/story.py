"""The story behind the page: the objective, GPT-1's numbers, its rivals, its ancestor and its descendants."""

import json
from dataclasses import asdict, dataclass
from typing import Annotated

from ui.services import Services
from ui.shared.sheets import Link, Section

_GPT1 = "Radford et al. 2018, sections 3.1, 3.2 and 4.1; the released code and weights (openai/finetune-transformer-lm)"
_ANATOMY = "tab=parameters&view=Drawing&once=%23anatomy-figure%20img&choose="


@dataclass(frozen=True)
class Chapter:
    """One page of the story."""

    title: str  # on its button
    text: str  # one or two sentences above what it shows
    shows: str  # "objective" (computed on the sentence on the page), "options" (three drawings) or "tables"
    sections: tuple[Section, ...] = ()  # tables


def chapters(services: Services, request: Annotated[object, None]) -> str:
    """All chapters, as JSON; ignores the request."""
    return json.dumps([asdict(chapter) for chapter in _CHAPTERS], ensure_ascii=False)


_OBJECTIVE = Chapter(
    "One objective",
    "Everything a GPT can do comes from one sum. The chance of a text is the product of the chances of its tokens, "
    "each given all tokens before it. Training makes the sum of their logarithms as large as it can. Here it is for "
    "the sentence above, with the model in the picker.",
    "objective",
)

_NUMBERS = Chapter(
    "GPT-1, number by number",
    "What the paper says in its own words, what this project's code does, and why.",
    "tables",
    (
        Section(
            "Its sentence",
            "“We use a multi-layer Transformer decoder for the language model, which is a variant of the transformer. "
            "This model applies a multi-headed self-attention operation over the input context tokens followed by "
            "position-wise feedforward layers to produce an output distribution over target tokens.” Phrase by phrase:",
            ("the paper", "it means", "see it"),
            (
                (
                    "“multi-layer”",
                    "the same kind of block, stacked: 12 in GPT-1",
                    Link("the stack", "tab=parameters&view=Drawing"),
                ),
                (
                    "“Transformer decoder”",
                    "each word sees itself and what came before; no second text is read",
                    Link("encoder, decoder, both", "tab=parameters&view=Reference"),
                ),
                (
                    "“multi-headed self-attention”",
                    "several heads read the text side by side, each in its own way",
                    Link("every head", "tab=attention&view=Heads"),
                ),
                (
                    "“over the input context tokens”",
                    "as far back as the window reaches: 512 tokens",
                    Link("cut a text", "tab=generate&view=Tokens"),
                ),
                (
                    "“position-wise feedforward layers”",
                    "one MLP, the same for every position, each on its own",
                    Link("its neurons", "tab=attention&view=Neurons"),
                ),
                (
                    "“an output distribution over target tokens”",
                    "a probability for every token to come next",
                    Link("the guess", "tab=generate&view=Write"),
                ),
            ),
            source="Radford et al. 2018, section 3.1, without its references and the words “In our experiments”",
        ),
        Section(
            "The model",
            "",
            ("part", "the paper", "section", "here", "why"),
            (
                ("blocks", "“12-layer decoder-only transformer”", "§ 4.1", "n_layer 12", "twice the 6 of 2017"),
                (
                    "width",
                    "“768 dimensional states”",
                    "§ 4.1",
                    "n_embd 768",
                    "12 heads of 64 channels; it was 512 in 2017",
                ),
                (
                    "heads",
                    "“12 attention heads”",
                    "§ 4.1",
                    "n_head 12",
                    "each learns its own pattern; 64 channels as in 2017",
                ),
                ("MLP", "“3072 dimensional inner states”", "§ 4.1", "n_inner 4·768", "the ratio of 2017: 2,048 to 512"),
                (
                    "window",
                    "“contiguous sequences of 512 tokens”",
                    "§ 4.1",
                    "n_positions 512",
                    "attention costs the square of it",
                ),
                (
                    "vocabulary",
                    "“40,000 merges”",
                    "§ 4.1",
                    "vocab_size 40,478",
                    "40,000 merges; 238 characters, each within and at the end of a word; newline; unknown",
                ),
                (
                    "activation",
                    "“Gaussian Error Linear Unit”",
                    "§ 4.1",
                    "gelu_new",
                    "the released code uses its tanh form",
                ),
                ("positions", "“learned position embeddings”", "§ 4.1", "wpe, 512 rows", "a table, no sinusoids"),
                ("initial weights", "“N(0, 0.02)”", "§ 4.1", "the same", "LayerNorm keeps sizes in check"),
                (
                    "norm",
                    "drawn after each part",
                    "figure 1",
                    "norm_position “post”",
                    "so the released weights have it, and no final one; many tutorials draw it before",
                ),
                ("head", "softmax(h·W_eᵀ)", "§ 3.1, eq. 2", "tied to wte", "one table for reading and writing"),
            ),
            source=_GPT1,
        ),
        Section(
            "Its training",
            "",
            ("part", "the paper", "section", "here", "why"),
            (
                (
                    "text",
                    "“over 7,000 unique unpublished books”",
                    "§ 4.1",
                    "any text",
                    "long passages teach long context",
                ),
                (
                    "passes",
                    "“100 epochs”",
                    "§ 4.1",
                    "--epochs 100; as updates, max_steps",
                    "books are few: read them again",
                ),
                ("batch", "“minibatches of 64”", "§ 4.1", "batch_size 64", "32,768 tokens an update"),
                (
                    "warm-up",
                    "“linearly from zero over the first 2000 updates”",
                    "§ 4.1",
                    "warmup_steps 2,000",
                    "deep post-norm models get stuck without it (Xiong et al. 2020)",
                ),
                (
                    "rate",
                    "“max learning rate of 2.5e-4”, “annealed to 0 using a cosine schedule”",
                    "§ 4.1",
                    "peak 2.5e-4, cosine to 0",
                    "large steps first, fine ones last",
                ),
                (
                    "dropout",
                    "“residual, embedding, and attention dropouts with a rate of 0.1”",
                    "§ 4.1",
                    "p = 0.1 each",
                    "100 passes over the same books invite memorising",
                ),
                (
                    "decay",
                    "“w = 0.01 on all non bias or gain weights”",
                    "§ 4.1",
                    "AdamW, 2-D weights only",
                    "as the paper",
                ),
                ("result", "“token level perplexity of 18.4”", "§ 4.1", "needs the books", "on its own corpus"),
            ),
            source=_GPT1,
        ),
        Section(
            "Its fine-tuning",
            "The objective for labels is L3 = L2 + λ·L1 (equation 5; some texts call it equation 3).",
            ("part", "the paper", "section", "here", "why"),
            (
                ("rate", "“6.25e-5”", "§ 4.1", "the preset's rate", "small: most is known already"),
                ("batch", "“a batchsize of 32”", "§ 4.1", "batch_size 32", ""),
                ("passes", "“3 epochs”", "§ 4.1", "epochs: 3", "“sufficient for most cases”"),
                ("warm-up", "“over 0.2% of training”", "§ 4.1", "of updates, 0.2%", "linear decay after it"),
                ("λ", "“0.5”", "§ 3.2, 4.1", "λ = 0.5", "keeping the language objective helps large data sets"),
            ),
            source=_GPT1,
        ),
    ),
)

_OPTIONS = Chapter(
    "Three options in 2018",
    "Three ways to read a text were known. Each picture shows which words (columns) the word of a row can use.",
    "options",
)

_CHANGES = Chapter(
    "Since the first transformer",
    "What GPT-1 and GPT-2 changed in the transformer of 2017. Each row has a place on this page that shows it.",
    "tables",
    (
        Section(
            "2017 against GPT",
            "",
            ("part", "transformer, 2017", "GPT-1, 2018", "GPT-2, 2019", "see it"),
            (
                ("structure", "encoder and decoder", "decoder alone, no cross-attention", "the same",
                 Link("what each sees", "tab=parameters&view=Reference")),
                ("positions", "sinusoids", "a learned table", "a learned table",
                 Link("compare them", _ANATOMY + "Learned positions")),
                ("activation", "ReLU", "GELU", "GELU", Link("both curves", _ANATOMY + "GELU against ReLU")),
                ("norm", "after each part", "after each part", "before each part, and a final one",
                 Link("who gets stuck", _ANATOMY + "Pre-norm against post-norm")),
                ("initial weights", "not stated", "N(0, 0.02)", "and residual ones times 1/√(2·layers)",
                 Link("what it does", _ANATOMY + "Scaled initialisation")),
                ("tied embeddings", "yes (section 3.4)", "yes", "yes",
                 Link("what they save", _ANATOMY + "Weight tying")),
                ("mask", "in the decoder", "everywhere", "everywhere",
                 Link("without it", _ANATOMY + "What the causal mask does")),
                ("tokens", "BPE, about 37,000", "BPE, 40,478", "BPE on bytes, 50,257",
                 Link("cut a text", "tab=generate&view=Tokens")),
                ("trained on", "translation pairs", "books, then tasks", "web pages alone",
                 Link("train one", "tab=train")),
            ),
            source="Vaswani et al. 2017; Radford et al. 2018 and 2019. Some texts say that the transformer of 2017 had "
            "no tied embeddings; its section 3.4 says that it shares them.",
        ),
    ),
)  # fmt: skip

_TIMELINE = Chapter(
    "From word2vec to GPT-4",
    "Ten years in which one idea grew: learn from plain text first, then use what was learned.",
    "tables",
    (
        Section(
            "Timeline",
            "",
            ("when", "what", "parameters", "what was new"),
            (
                ("2013", "word2vec", "900 million (3 million words and phrases, 300 each)",
                 "one vector a word, the same in every sentence"),
                ("Jun 2017", "Transformer", "65 and 213 million", "attention instead of recurrence, for translation"),
                ("Feb 2018", "ELMo", "93.6 million", "a vector for each word in its sentence, by LSTMs read both ways"),
                ("Jun 2018", "GPT", "117 million (counted: 116.5)", "a decoder, pre-trained on books, then fine-tuned"),
                ("Oct 2018", "BERT", "110 and 340 million", "an encoder that fills in masked words, reading both ways"),
                ("Feb to Nov 2019", "GPT-2", "124, 355, 774 million, 1.56 billion",
                 "tasks from a prompt alone; released in stages: February, May, August, November"),
                ("Jan 2020", "scaling laws", "up to 1.5 billion",
                 "the loss falls as a power of parameters, text and computing, predictably"),
                ("May 2020", "GPT-3", "175 billion",
                 "tasks from a few examples in the prompt; its weights were never released: used through an API alone"),
                ("Jul 2021", "Codex", "up to 12 billion", "GPT fine-tuned on program code"),
                ("Jan 2022", "InstructGPT", "1.3, 6 and 175 billion", "RLHF: follows instructions (below)"),
                ("Nov 2022", "ChatGPT", "not published", "the same in dialogue, open to everybody"),
                ("Mar 2023", "GPT-4", "not published",
                 "reads pictures as well; RLHF; windows of 8,192 and 32,768 tokens, 128,000 in Turbo (Nov 2023)"),
            ),
            source="Mikolov et al. 2013 (the released Google News vectors); Vaswani et al. 2017; Peters et al. 2018 "
            "and the released model; Radford et al. 2018 and 2019; Devlin et al. 2018; Kaplan et al. 2020; Brown et "
            "al. 2020; Chen et al. 2021; Ouyang et al. 2022; OpenAI 2020, 2022 and 2023",
        ),
        Section(
            "RLHF, in three steps",
            "Reinforcement learning from human feedback turned a model that continues text into one that answers.",
            ("step", "people", "the model learns"),
            (
                ("1. demonstrations", "write good answers to prompts", "to imitate them, by the usual objective"),
                ("2. comparisons", "rank several answers of the model", "a second model, the reward: who would win"),
                ("3. reinforcement", "-", "to write what the reward likes, kept close to step 1 by a penalty (PPO)"),
            ),
            source="Ouyang et al. 2022, section 3. The bundled assistant took step 1, and DPO in place of steps 2 and "
            "3 (Rafailov et al. 2023).",
        ),
    ),
)  # fmt: skip

_LESSONS = Chapter(
    "Where lessons differ",
    "What some lessons about GPT say, and what this page does instead.",
    "tables",
    (
        Section(
            "Lessons and this page",
            "",
            ("subject", "some lessons", "here"),
            (
                ("KV cache, 100 tokens after 50", "100.5 times fewer keys and values (without the prompt)",
                 "66.8 times: 9,950 against 149"),
                ("labels", "shifted in the data, and again in the loss", "shifted once, by the data"),
                ("GPT block", "a decoder layer with cross-attention", "no cross-attention: there is no encoder"),
                ("GPT-3's cache at 4,096 tokens", "10 GB", "19.3 GB in 16 bits: 96 layers, 12,288 channels"),
                ("GPT-1's norms", "drawn after each part, coded before it", "after each part, as released"),
            ),
            source="The same with the arithmetic: gptcore/README.md, “Where the lessons differ from what is here”",
        ),
    ),
)  # fmt: skip

_CHAPTERS = (_OBJECTIVE, _NUMBERS, _OPTIONS, _CHANGES, _TIMELINE, _LESSONS)
