"""Starts GPT Lens: `python app.py`, then open the address that it prints."""

import argparse
import errno
import gc
import io
import logging
import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

# Imports produce almost no garbage, and repeated collections take a tenth of the start-up time.
gc.disable()
# Before gradio is imported: no analytics, and its own start-up check must not go through a proxy.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
# what Apple's GPUs lack, the CPU computes
os.environ.setdefault("PYTORCH_ENABLE_MPS_FALLBACK", "1")
try:
    tempfile.gettempdir()
except FileNotFoundError:
    raise SystemExit(
        "error: No temporary folder is usable. Free some space, or set TMPDIR to a folder."
    ) from None
for _name in ("NO_PROXY", "no_proxy"):
    os.environ[_name] = ",".join(filter(None, [os.environ.get(_name), "127.0.0.1,localhost"]))

from ui.server.gradio_internals import quick_gradio  # noqa: F401 - before gradio is imported

# isort: split

from ui.compute import zero_gpu

# isort: split

import torch

from gptcore.errors import GPTCoreError
from gptcore.machine import allocate_in_one_arena, avoid_hidden_tiles, choose_device, keep_to_quota
from ui.frame.example import page_example
from ui.lenses.train.handlers.files import example_workspaces
from ui.page import build_page
from ui.runs.saved_runs import SavedRuns
from ui.server.command_line import parse_arguments
from ui.server.handout import Sheet, check_address
from ui.server.launch import serve
from ui.server.log_limits import limit_log
from ui.server.options import ServerOptions
from ui.server.preflight import check, prefetch
from ui.server.rehearsal import check_talk
from ui.server.talks import read_talk, warnings_of, without_notes
from ui.server.temp_files import TemporaryFiles
from ui.services import make_services
from ui.shared.qr import EVERYWHERE, own_address, qr_terminal
from ui.state.broadcasts import NO_TALK, SpokenTalk
from ui.state.clients import is_loopback
from ui.state.limits import PROFILES, Limits
from ui.state.model_store import ModelStore

gc.freeze()  # the objects that exist now stay: the collector skips them from here on
gc.enable()

# Thread switch interval: how long a server thread may hold up the compute thread after each small
# step. Python's default of 5 ms is longer than one token takes.
_SWITCH = 0.0005


def main(arguments: list[str] | None = None) -> int:
    """Builds the page and serves it until interrupted; returns the exit status."""
    _print_anything()
    options = parse_arguments(arguments)
    _set_up_process()
    if options.prefetch or options.check is not None:
        return _prepare(options)
    _warn_of_another_folder()
    files = TemporaryFiles(most_bytes=PROFILES[options.profile].temporary_bytes)
    try:
        title, spoken = _spoken_talk(options.talk) if options.talk else ("", NO_TALK)
        if freed := files.open():
            print(
                f"Removed {freed / 1e6:,.0f} MB of temporary files that an earlier start left "
                "behind."
            )
        services = make_services(
            limits=_limits(options),
            model=options.model,
            offline=options.offline,
            lan=own_address() if options.host == EVERYWHERE else "",
            talk=spoken,
            examples=example_workspaces(),
            saved=SavedRuns(files.kept / "runs", server=files.folder),
            device=_device(options),
        )
        if notice := services.models.use_one_that_opens():
            print(f"warning: {notice}", file=sys.stderr)
        page = build_page(services, page_example(services))
    except GPTCoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    try:
        told = partial(_announce, lan=options.lan, talk=title, key=spoken.key)
        serve(page, services, files, _server_options(options), told=told)
    except OSError as error:
        print(f"error: {_why_not_served(options, error)}", file=sys.stderr)
        return 1
    finally:
        services.close()
        files.close()
    return 0


def _spoken_talk(file: str) -> tuple[str, SpokenTalk]:
    """The title of a talk, and what the page needs of it; prints its warnings.

    Raises GPTCoreError for a file that is no talk.
    """
    text, talk = read_talk(file)
    for sentence in warnings_of(talk):
        print(f"warning: {file}, {sentence}", file=sys.stderr)
    notes = tuple(scene.notes for scene in talk.scenes)
    return talk.title, SpokenTalk(without_notes(text), notes, secrets.token_urlsafe(16))


def _set_up_process() -> None:
    """Sets up memory, threads, the log and signals of this process."""
    allocate_in_one_arena()
    keep_to_quota()
    avoid_hidden_tiles()
    sys.setswitchinterval(_SWITCH)
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s"
    )
    limit_log()
    if threading.current_thread() is threading.main_thread():  # a test may call this elsewhere
        # `docker stop`: shut down cleanly, as on Ctrl-C
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def _server_options(options: argparse.Namespace) -> ServerOptions:
    return ServerOptions(
        host=options.host,
        port=options.port,
        hosts=options.allow_host,
        frames=options.frame_ancestors,
        behind_proxy=options.behind_proxy,
        root_path=options.root_path,
        mcp=options.mcp,
    )


def _limits(options: argparse.Namespace) -> Limits:
    """The limits of the profile, as the options change them.

    Visitors of other machines may open no model outside the list: paths would tell them what is on
    this one.
    """
    limits = PROFILES[options.profile]
    limits = replace(limits, any_model=limits.any_model and is_loopback(options.host))
    if options.training_runs is not None:
        limits = replace(limits, training_runs=options.training_runs)
    return limits


def _warn_of_another_folder() -> None:
    """Says so where Python keeps temporary files in another folder than it was told to."""
    wanted = os.environ.get("TMPDIR")
    used = tempfile.gettempdir()
    if wanted and os.path.realpath(wanted) != os.path.realpath(used):
        print(
            f"warning: TMPDIR is {wanted}, which cannot be written. {used} is used.",
            file=sys.stderr,
        )


def _device(options: argparse.Namespace) -> torch.device:
    """Chooses the device that models compute on: on ZeroGPU the CPU, since only the separate
    process of large models has the GPU.
    """
    return choose_device("cpu" if zero_gpu.ON_ZERO_GPU else options.device)


def _why_not_served(options: argparse.Namespace, error: OSError) -> str:
    """Why the server cannot listen, by the system's own reason, and what to do."""
    host = options.host or "127.0.0.1"
    port = options.port or 0
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind((host, port))
    except socket.gaierror as reason:
        return f"There is no address {host!r} ({reason.strerror}). Choose another --host."
    except OSError as reason:
        if reason.errno == errno.EADDRINUSE:
            return (
                f"The port {port} is taken. Choose another --port, or leave it out to take the "
                "first free one."
            )
        if reason.errno == errno.EADDRNOTAVAIL:
            return (
                f"{host} is no address of this machine. Choose another --host; 0.0.0.0 is all of "
                "them."
            )
        return (
            f"{host}, port {port}, cannot be listened on ({reason.strerror}). Choose another "
            "--host or --port."
        )
    if options.port:
        return (
            f"The server did not start on port {port} ({error}). The port is free: start it again."
        )
    return (
        f"No port is free ({error}). Choose a --port, or end what listens on the first hundred "
        "from 7860."
    )


def _announce(address: str, *, lan: bool, talk: str, key: str = "") -> None:
    """Prints what more than the page's own address can be opened: the talk, and the page on the
    network.
    """
    if talk:
        print(f"* The talk “{talk}”, with the speaker's notes:  {address}#talk={key}")
    if not lan:
        return
    here = own_address()
    if not here:
        print("This machine is not on a network; only it can open the address above.")
        return
    link = f"http://{here}:{urlsplit(address).port}/"
    print(f"* On the local network, for everyone on it:  {link}")
    code = qr_terminal(link)
    try:
        code.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:  # a console without its blocks has the address alone
        return
    print(code)


def _print_anything() -> None:
    """Lets no sign that a console lacks end the server: it is replaced."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _prepare(options: argparse.Namespace) -> int:
    """Runs --prefetch and --check; returns exit status 1 if something is missing."""
    limits = _limits(options)
    try:
        check_address(options.address)
        for name in options.prefetch:
            print(
                prefetch(ModelStore(limits, default=name, offline=options.offline), name, say=print)
            )
        if options.check is None:
            return 0
        talk = read_talk(options.check)[1] if options.check else None
        rows = []
        sheet = Sheet()
        models = ModelStore(limits, default=options.model, offline=True, device=_device(options))
        findings = check(models, host=options.host, port=options.port)
        for finding in chain(
            findings, check_talk(talk, options.check, models, sheet) if talk else ()
        ):
            print(f"{finding.state:<9}{finding.sentence}", flush=True)
            rows.append(finding)
        if options.sheet:
            sheet.save(Path(options.sheet))
            print(f"Pictures of {len(sheet.rows)} scenes are in {options.sheet}.")
        if options.handout and talk:
            sheet.save_handout(Path(options.handout), talk.title, options.address)
            print(f"The handout is {options.handout}.")
    except (GPTCoreError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    failed = any(finding.state == "MISSING" for finding in rows)
    print("Something is missing; see above." if failed else "Ready for a talk with no network.")
    return int(failed)


def run() -> NoReturn:
    """The command: `main`, and the end of the process, at which a thread amid a computation would
    abort it.
    """
    try:
        status = main()
    except KeyboardInterrupt:  # before serving starts; afterwards the server handles it
        status = 130
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
