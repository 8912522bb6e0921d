"""Files of the Hub: from the cache, downloaded, or a sentence that says why not and what to do."""

import socket

import huggingface_hub
import pytest
from huggingface_hub import errors

from gptcore import hub
from gptcore.errors import HubError, MissingFileError

REPOSITORY = "someone/gpt"
FILE = "config.json"


@pytest.fixture
def reachable(monkeypatch):
    """A Hub with an address, none of whose files are here."""
    monkeypatch.setattr(hub, "cached", lambda *_: None)
    monkeypatch.setattr(hub, "_hub_has_an_address", lambda: True)
    return monkeypatch


def refused(*_, **__):
    pytest.fail("the network was asked")


def test_what_is_cached_is_not_asked_for(monkeypatch, tmp_path):
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", refused)
    monkeypatch.setattr(hub, "cached", lambda *asked: tmp_path / "_".join(asked).replace("/", "_"))
    assert hub.fetch(REPOSITORY, FILE) == tmp_path / "someone_gpt_config.json"


@pytest.mark.parametrize(
    ("offline", "has_address", "why"),
    [(True, True, "the app runs offline"), (False, False, "there is no network")],
)
def test_without_a_network_nothing_is_asked_for(reachable, offline, has_address, why):
    reachable.setattr(huggingface_hub, "hf_hub_download", refused)
    reachable.setattr(hub, "_hub_has_an_address", lambda: has_address)
    with pytest.raises(HubError, match=rf"{why}\. .* run `hf download {REPOSITORY}`"):
        hub.fetch(REPOSITORY, FILE, offline=offline)


def test_a_file_is_downloaded_with_its_progress(reachable, tmp_path):
    asked = []
    reachable.setattr(
        huggingface_hub,
        "hf_hub_download",
        lambda *given, **how: asked.append((given, how)) or str(tmp_path),
    )
    assert hub.fetch(REPOSITORY, FILE, progress=list) == tmp_path
    assert asked == [((REPOSITORY, FILE), {"tqdm_class": list})]


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (errors.LocalEntryNotFoundError, HubError, "the Hub cannot be reached"),
        (errors.GatedRepoError, HubError, "requires a login"),
        (errors.RemoteEntryNotFoundError, MissingFileError, f"has no file {FILE}"),
        (errors.RepositoryNotFoundError, HubError, "There is no public repository 'someone/gpt'"),
        (errors.HFValidationError, HubError, "There is no public repository 'someone/gpt'"),
        (ConnectionResetError, HubError, "fetching it failed"),
    ],
)
def test_what_goes_wrong_is_a_sentence(reachable, error, kind, words):
    def fails(*_, **__):
        raise error.__new__(error)  # some want the answer of a server

    reachable.setattr(huggingface_hub, "hf_hub_download", fails)
    with pytest.raises(HubError, match=words) as caught:
        hub.fetch(REPOSITORY, FILE)
    assert type(caught.value) is kind


def test_a_proxy_finds_the_hub_and_else_its_name_has_an_address(monkeypatch):
    proxies = {}
    names = []

    def found(name, _):
        names.append(name)
        if len(names) > 1:
            raise socket.gaierror
        return ["an address"]

    monkeypatch.setattr(hub.urllib.request, "getproxies", lambda: proxies)
    monkeypatch.setattr(hub.socket, "getaddrinfo", found)
    assert hub._hub_has_an_address() and not hub._hub_has_an_address()
    assert len(names) == 2 and names[0] in huggingface_hub.constants.ENDPOINT
    proxies["https"] = "http://proxy"
    assert hub._hub_has_an_address() and len(names) == 2


@pytest.mark.parametrize("found", [None, "a/path"])
def test_a_file_is_cached_where_the_hub_s_client_says_so(monkeypatch, found):
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda *_: found or object())
    path = hub.cached(REPOSITORY, FILE)
    assert (None if path is None else str(path)) == found
