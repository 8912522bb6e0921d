"""Payloads of the Attention tab."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ui.payloads import Choice, Guess, PairRequest, Role, TextRequest

NodeName = tuple[str, int, int, int]  # kind, layer, index, position
Scores = list[list[float | None]]  # by layer and head


class HeadRequest(TypedDict):
    """One head of a stored reading."""

    key: str
    layer: int
    head: int
    mode: str


class CellRequest(HeadRequest):
    """One cell of a head's map: the reading token's row, the looked-at token's column."""

    row: int
    column: int


class HeadOfModel(TypedDict):
    """A head, whatever is read."""

    model: str
    layer: int
    head: int


class CircuitRequest(PairRequest):
    """A circuit without some nodes."""

    off: list[NodeName]


class PatchRequest(TypedDict):
    """Sentence B with A's values in cells of [depth, position]."""

    model: str
    first: str
    second: str
    cells: list[tuple[int, int]]


class NeuronRequest(TextRequest):
    """A neuron; null for the middle layer, and for the neuron that stands out most."""

    layer: int | None
    neuron: int | None


class ScoreMap(TypedDict):
    """All raw scores of a head, packed as shares of the largest."""

    scores: str
    largest: float


class SoftmaxRow(TypedDict):
    """One row of the softmax: products, scores, exponentials above the largest, and weights of all
    visible tokens.

    `products` are the terms of the looked-at token's dot product.
    """

    width: int
    dots: list[float]
    scores: list[float]
    exps: list[float]
    largest: float
    sum: float
    weights: list[float]
    products: list[float]


class ReadingHeader(TypedDict):
    """The fields that all maps of a text share: the text as it was read, and the model's shape."""

    key: str
    model: str
    text: str
    mode: str
    note: str
    tokens: list[str]
    ids: list[int]
    L: int
    H: int
    causal: bool


class AttentionMaps(ReadingHeader):
    """All heads as thumbnails, packed, with what each does; in a comparison cells are
    differences.
    """

    keep: NotRequired[str]
    signed: bool
    side: int
    thumbs: str
    scores: dict[str, Scores]
    random: NotRequired[dict[str, Scores] | None]
    roles: NotRequired[list[list[Role]]]
    elsewhere: NotRequired[list[list[str]] | None]
    said: str
    start: list[int]


class HeadWeights(TypedDict):
    """A head from its weights: tokens that it copies and suppresses."""

    said: str
    copied: list[Guess]
    suppressed: list[Guess]
    copying: float


class Part(TypedDict):
    """A part's share of a logit difference; `really` is what switching it off changes, null where
    that cannot be.
    """

    name: str
    layer: int | None
    head: int | None
    value: float
    really: float | None


class Why(TypedDict):
    """A prediction against its rival as a sum over parts; `rest` is the number and the sum of all
    others.
    """

    tokens: list[str]
    choices: list[Choice]
    word: Choice
    rival: Choice
    total: float
    parts: list[Part]
    rest: tuple[int, float]
    said: str


class CircuitPart(TypedDict):
    """A node of a circuit."""

    kind: Literal["word", "head", "neuron", "answer"]
    layer: int
    index: int
    place: int
    name: str
    influence: float
    really: float | None


class Circuit(TypedDict):
    """The circuit behind a prediction: the influence of every token, nodes, and edges of
    [source, target, weight].
    """

    tokens: list[str]
    words: list[float]
    nodes: list[CircuitPart]
    edges: list[tuple[int, int, float]]
    layers: int
    total: float
    constants: float
    next: list[Choice]
    answers: list[str]
    said: str
    checked: str


class CircuitWithout(TypedDict):
    """The difference of both logits and the next token, without some nodes."""

    difference: float
    next: list[Choice]


class Patched(TypedDict):
    """The likeliest tokens after sentence B with A's values in some cells."""

    next: list[Choice]


class PairLists(TypedDict):
    """Why two sentences cannot be compared place by place, and the likeliest tokens after each."""

    message: str
    both: list[list[Choice]]


class PatchingGrid(TypedDict):
    """Share of A's answer that comes back, by depth and position; computed row by row."""

    texts: list[str]
    model: str
    a: list[str]
    b: list[str]
    answers: list[str]
    chances: list[list[float]]
    next: list[Choice]
    rows: list[list[float]]
    total: int
    stopped: bool
    said: str


class AblationRow(TypedDict):
    """A token's probability with all parts, and without some."""

    id: int
    label: str
    before: float
    after: float


class Ablation(TypedDict):
    """The next-token distribution without some parts; `of` says what effects belong to, divergence
    is in bits.
    """

    of: str
    note: str
    L: int
    H: int
    mlp: bool
    off: list[tuple[int, str, int | None]]
    divergence: float
    rows: list[AblationRow]
    example: NotRequired[bool]


class Effects(TypedDict):
    """The effects of switching off each part alone, by "layer,kind,head", layer by layer: bits by
    which the next token moves, and the signed change of the first guess's probability.
    """

    of: str
    effects: dict[str, tuple[float, float]]
    done: int
    total: int
    stopped: bool


class Lens(TypedDict):
    """The logit lens: by depth and column the best guess, and rank and probability of the model's
    final choice.
    """

    said: str
    note: str
    tokens: list[str]
    first: int
    depths: list[str]
    best: list[list[str]]
    probability: list[list[float]]
    rank: list[list[int]]
    share: list[list[float]]
    known: list[int | None]
    knew: str


class Neurons(TypedDict):
    """A neuron over a text, and the tokens that it makes likelier and less likely, with the change
    of their logits.
    """

    said: str
    layer: int
    n_layer: int
    n_inner: int
    note: str
    top: list[int]
    neuron: int
    tokens: list[str]
    activations: list[float]
    more: list[Guess]
    less: list[Guess]


class InnerSizes(TypedDict):
    """Recorded losses by inner width, [times the width, loss, parameters]."""

    how: str
    sizes: list[tuple[str, float, int]]
