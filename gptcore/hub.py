"""Hugging Face Hub files: from the local cache or downloaded, else an error that says what to
do.
"""

import socket
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gptcore.errors import HubError, MissingFileError

GPT1_REPOSITORY = "openai-community/openai-gpt"
GPT2_REPOSITORY = "openai-community/gpt2"

# Presets with published weights, and their download size in megabytes.
HUB_WEIGHTS: dict[str, tuple[str, int]] = {
    "gpt1": (GPT1_REPOSITORY, 479),
    "gpt2": (GPT2_REPOSITORY, 548),
    "gpt2-medium": ("openai-community/gpt2-medium", 1520),
    "gpt2-large": ("openai-community/gpt2-large", 3247),
    "gpt2-xl": ("openai-community/gpt2-xl", 6433),
}


def cached(repository: str, file: str) -> Path | None:
    """The file in this machine's Hub cache, or None."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(repository, file)
    return Path(path) if isinstance(path, str) else None


def fetch(
    repository: str, file: str, *, offline: bool = False, progress: type[Any] | None = None
) -> Path:
    """The path of a Hub file on this machine, downloaded when needed.

    Args:
        repository: "owner/name".
        file: its path inside the repository.
        offline: never open a connection.
        progress: a tqdm class that shows the download; None for the terminal's own bar.

    Raises:
        HubError: the file is neither in the cache nor reachable, with how to fetch it ahead of
        time.
    """
    path = cached(repository, file) if "/" in repository else None
    if path is not None:
        return path
    if offline:
        raise _absent(repository, file, "the app runs offline")
    if not _hub_has_an_address():
        raise _absent(repository, file, "there is no network")
    from huggingface_hub import errors, hf_hub_download

    try:
        return Path(hf_hub_download(repository, file, tqdm_class=progress))
    except errors.LocalEntryNotFoundError:
        raise _absent(repository, file, "the Hub cannot be reached") from None
    except errors.GatedRepoError:
        raise HubError(
            f"{repository} requires a login; accept its terms on the Hub and run `hf auth login`."
        ) from None
    except errors.EntryNotFoundError:
        raise MissingFileError(
            f"The repository {repository} on the Hub has no file {file}."
        ) from None
    except (errors.RepositoryNotFoundError, errors.HFValidationError):
        raise HubError(
            f"There is no public repository {repository!r} on the Hub. Check its name."
        ) from None
    except (
        OSError
    ) as error:  # connection, proxy and disk errors; httpx errors of the Hub client derive from it
        raise _absent(repository, file, f"fetching it failed ({error})") from None


def _hub_has_an_address() -> bool:
    """False when the Hub's name does not resolve: the Hub client would retry that for half a
    minute.
    """
    from huggingface_hub.constants import ENDPOINT

    if {"http", "https", "all"} & set(urllib.request.getproxies()):
        return True
    try:
        return bool(socket.getaddrinfo(urlsplit(ENDPOINT).hostname, None))
    except OSError:
        return False


def _absent(repository: str, file: str, why: str) -> HubError:
    ahead = f"Where there is a network, run `hf download {repository}` ahead of time."
    return HubError(f"{file} of {repository} is not on this machine and {why}. {ahead}")
