"""Downloads and uploads of the Train tab: model folders as zip files; and the recorded examples."""

import logging
import tempfile
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from gptcore.analysis import count_parameters
from gptcore.config import GPTConfig
from gptcore.errors import CheckpointError, GPTCoreError
from gptcore.language_model import LanguageModel, find_folder, load
from gptcore.tokenizers import load_tokenizer
from gptcore.tokenizers.base import CONFIG_FILE
from gptcore.weights.checkpoint import load_folder, save_folder
from gptcore.weights.contents import INDEX_FILE, MODEL_FILES, WEIGHTS_FILE, obstacle
from ui.runs.run_json import read_run
from ui.runs.workspaces import Workspace
from ui.services import Services
from ui.shared.inputs import InputError

EXAMPLE_MODEL = "anthology"
_RECORDING = "run.json"
EXAMPLES = {
    kind: Path(__file__).with_name(f"recorded_{kind}.json")
    for kind in ("tune", "labels", "assistant")
}
log = logging.getLogger("gptlens")
_BYTES = 6  # of an uploaded weight at most: fp32, and other files beside it
_MOST_MEMBERS = 200
_PIECE = 1 << 20
# of a zip, in bytes; the entry's is what is allowed here
_LAST_RECORD = 22
_LOCATOR = 20
_LONGEST_ENTRY = 1 << 10
_SHARD = ".safetensors"
_PICKLED = (".pt", ".pth", ".bin", ".ckpt")
# What an upload that is no zip archive is, by its ending.
_NO_ZIP = {
    _SHARD: (
        "{name} holds weights without their config.json and tokenizer. "
        "Zip the folder that it is in."
    ),
    ".gz": "{name} is an archive of another kind. Zip the model folder.",
    ".tar": "{name} is an archive of another kind. Zip the model folder.",
}


def example_workspaces() -> list[Workspace]:
    """The recorded runs that the tab's forms open with; one that cannot be read is left out.

    First how the bundled anthology model was made, which can be opened; then a model tuned on a
    text, one that learned labels, and one that learned to answer (`python -m
    tests.tools.recorded_runs`), whose weights are not kept.
    """
    workspaces = []
    folder = find_folder(EXAMPLE_MODEL)
    recorded = {"example": folder / _RECORDING if folder is not None else None}
    recorded |= {f"example-{kind}": file for kind, file in EXAMPLES.items()}
    for name, file in recorded.items():
        try:
            if file is not None:
                lm = load(EXAMPLE_MODEL, offline=True) if name == "example" else None
                workspaces.append(
                    Workspace(name, [read_run(file.read_text(encoding="utf-8"), lm, name)])
                )
        except Exception:  # whatever a damaged file makes a reader raise: the rest of the tab stays
            log.warning(
                "The recorded run %s cannot be read; it is left out.", file.name if file else name
            )
    return workspaces


def zipped_model(services: Services, workspace_id: object) -> tuple[str, str]:
    """(path, note): the current model of a workspace as a zip of a model folder, which transformers
    opens too.

    Raises:
        InputError: no model yet.
    """
    workspace = services.workspaces.get(workspace_id)
    record = workspace.current if workspace is not None else None
    lm = record.language_model if record is not None else None
    if workspace is None or record is None or lm is None:
        raise InputError(
            "There is no model to save yet. Press Start, and wait for its first snapshot."
        )
    scratch = tempfile.TemporaryDirectory(prefix="gptlens-")
    folder = Path(scratch.name)
    facts = record.facts
    step = record.snapshots[-1].step
    made = {
        "title": facts.title,
        "steps": step,
        "tokens": step * facts.tokens_per_step,
        "seconds": round(record.seconds()),
        "settings": dict(facts.settings),
    }
    target = folder / "model.zip"
    try:
        save_folder(folder / "model", lm.model, lm.tokenizer, metadata=made)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in sorted((folder / "model").iterdir()):
                packed.write(file, f"model/{file.name}")
    except (OSError, CheckpointError) as error:  # a full disk; no path of the server is told
        cause = getattr(error, "strerror", None) or "no room"
        raise InputError(
            f"The zip file cannot be written ({cause}). The run is not affected."
        ) from None
    workspace.downloads.append(scratch)
    config = lm.model.config
    if config.use_mlp and config.use_positions and config.causal:
        return str(target), ""
    return str(
        target
    ), "transformers does not support this shape; the folder opens here and with gptcore.load."


def opened_model(services: Services, workspace_id: object, file: object) -> tuple[Workspace, str]:
    """(workspace, name): a model folder from an uploaded zip, ready to be picked.

    Raises:
        InputError: no zip of a model folder, or one that is too large.
        GPTCoreError: files that are damaged or of another shape.
    """
    path = Path(str(file))

    def small_enough(config: GPTConfig) -> None:
        count = count_parameters(config).total
        most = services.limits.training_parameters
        if count > most:
            raise InputError(
                f"The model has {count:,} parameters; this server opens uploads of at most "
                f"{most:,}."
            )

    with ExitStack() as ends:
        ends.callback(services.uploaded.opened, path)  # it has been read by then
        folder = Path(scratch := ends.enter_context(tempfile.TemporaryDirectory(prefix="upload-")))
        try:
            unpack(path, folder, most_bytes=services.limits.training_parameters * _BYTES)
            notes = list[str]()
            model = load_folder(folder, check=small_enough, notes=notes)
            tokenizer = load_tokenizer(folder, known_parts=True)
            lm = LanguageModel(model, tokenizer, path.stem[:40], tuple(notes))
        except GPTCoreError as error:  # do not reveal the server's path
            raise type(error)(
                str(error).replace(f"{scratch}/", "").replace(scratch, path.name)
            ) from None
        for parameter in lm.model.parameters():
            parameter.data = parameter.data.clone()  # the file it is mapped from goes away
    return services.run_manager.keep(workspace_id, lm)


def unpack(file: Path, folder: Path, *, most_bytes: int) -> None:
    """Unpacks the files of a model folder from a zip, and nothing else, no further than allowed.

    Args:
        file: the upload; its headers are not trusted.
        folder: destination; zip paths cannot escape it.
        most_bytes: of all files together.

    Raises:
        InputError: no zip, too many or doubled members, no model folder, or more bytes than
        allowed.
    """
    if not file.is_file():
        raise InputError(
            f"The uploaded file {file.name} is no longer on the server. Upload it again."
        )
    _refuse_other_files(file)
    try:
        n_members = _count_members(file)
        if n_members > _MOST_MEMBERS:
            raise InputError(
                f"{file.name} has {n_members:,} files; at most {_MOST_MEMBERS} are read."
            )
        with zipfile.ZipFile(file) as given:
            content = [member for member in given.infolist() if _is_content(member)]
            paths = [_path_in(member) for member in content]
            within = _model_folder(paths, file.name)
            wanted = [path for path in paths if path.parent == within and _is_of_model(path.name)]
            doubled = next((path.name for path in wanted if wanted.count(path) > 1), None)
            if doubled is not None:
                raise InputError(f"{file.name} has {doubled} more than once. Zip one model folder.")
            members = {path.name: content[paths.index(path)] for path in wanted}
            _extract(given, members, folder, most_bytes)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        RuntimeError,
        NotImplementedError,
        ValueError,
    ) as error:
        raise InputError(f"{file.name} cannot be opened as a zip file ({error}).") from None


def _refuse_other_files(file: Path) -> None:
    """Raises InputError for an upload that its ending, or its first bytes, tell to be something
    else.
    """
    # torch's own files are zip archives, too
    if zipfile.is_zipfile(file) and file.suffix not in _PICKLED:
        return
    sentence = _NO_ZIP.get(file.suffix, "").format(name=file.name) or obstacle([file.name])
    if sentence:
        raise InputError(sentence)


def _extract(
    given: zipfile.ZipFile, wanted: Mapping[str, zipfile.ZipInfo], folder: Path, most_bytes: int
) -> None:
    """Writes members under the names that they are wanted by. Raises InputError as `unpack`
    does.
    """
    too_much = (
        f"The model takes more than {most_bytes / 1e6:,.0f} MB unpacked, and is too large here."
    )
    left = most_bytes
    # as declared; the real size may be larger
    if sum(member.file_size for member in wanted.values()) > most_bytes:
        raise InputError(too_much)
    for name, member in wanted.items():
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(
                f"{name} in the archive uses unsupported compression. Zip it without options."
            )
        with given.open(member) as packed, (folder / name).open("wb") as unpacked:
            while piece := packed.read(_PIECE):
                left -= len(piece)
                if left < 0:
                    raise InputError(too_much)
                unpacked.write(piece)


def _path_in(member: zipfile.ZipInfo) -> PurePosixPath:
    """A member's path; some programs write backslashes between folders."""
    return PurePosixPath(member.filename.replace("\\", "/"))


def _is_content(member: zipfile.ZipInfo) -> bool:
    """Whether a member is a file of the visitor's, not a folder or what macOS keeps beside each
    file.
    """
    path = _path_in(member)
    return not member.is_dir() and "__MACOSX" not in path.parts and not path.name.startswith(".")


def _is_of_model(name: str) -> bool:
    return name in MODEL_FILES or name.endswith(_SHARD)


def _model_folder(paths: Sequence[PurePosixPath], archive: str) -> PurePosixPath:
    """The topmost folder with a config and weights. Raises InputError where there is none, or more
    than one.
    """
    files = set(paths)
    weights = (WEIGHTS_FILE, INDEX_FILE)
    complete = {
        path.parent
        for path in paths
        if path.name == CONFIG_FILE and _has_any(files, path.parent, weights)
    }
    least = min((len(folder.parts) for folder in complete), default=0)
    topmost = [folder for folder in complete if len(folder.parts) == least]
    if len(topmost) > 1:
        named = ", ".join(sorted(folder.name for folder in topmost)[:5])
        why = obstacle(map(str, paths)) or "Zip one of them."
        raise InputError(f"{archive} has several model folders ({named}). {why}")
    if topmost:
        return topmost[0]
    why = obstacle(map(str, paths)) or "Zip a model folder."
    raise InputError(f"{archive} has no {CONFIG_FILE} and {WEIGHTS_FILE}. {why}")


def _has_any(files: Collection[PurePosixPath], folder: PurePosixPath, names: Sequence[str]) -> bool:
    return any(folder / name in files for name in names)


def _count_members(file: Path) -> int:
    """The members of a zip by its end record, read before listing any: as many as declared, or as
    fit its directory.

    Raises:
        zipfile.BadZipFile: no zip, or one with 64-bit records, whose directory lies elsewhere.
    """
    with file.open("rb") as given:
        given.seek(0, 2)
        given.seek(max(0, given.tell() - _LAST_RECORD - 0xFFFF))
        tail = given.read()
    record = tail.rfind(b"PK\5\6")
    if record < 0 or len(tail) < record + _LAST_RECORD:
        raise zipfile.BadZipFile("File is not a zip file")
    if tail[max(0, record - _LOCATOR) : record].startswith(b"PK\6\7"):
        raise zipfile.BadZipFile("it has 64-bit records; zip one model folder")
    declared, n_bytes = (
        int.from_bytes(tail[record + at : record + at + n], "little")
        for at, n in ((10, 2), (12, 4))
    )
    return max(declared, n_bytes // _LONGEST_ENTRY)
