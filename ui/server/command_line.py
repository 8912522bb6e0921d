"""Command line of the app."""

import argparse
import os
import re
from importlib.util import find_spec

from gptcore.machine import DEVICES
from ui.shared.qr import EVERYWHERE
from ui.state.limits import PROFILES

_ORIGIN = re.compile(r"https?://[A-Za-z0-9*.-]+(:\d{1,5})?")
_MOST_RUNS = 32  # training at the same time
# sites that show a Space in a frame
_FRAMES_OF_SPACES = ("https://huggingface.co", "https://*.hf.space")
_LAST_PORT = 65_535


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parses the command line; a Space cannot pass flags, so its environment gives the defaults."""
    is_space = bool(os.environ.get("SPACE_ID"))
    parser = argparse.ArgumentParser(
        description="GPT Lens: one GPT, seen from every side, in the browser."
    )
    _add_models(parser)
    _add_talk(parser)
    _add_server(parser, is_space)
    _add_visitors(parser, is_space)
    options = parser.parse_args(arguments)
    _validate(parser, options)
    if options.lan:
        options.host = EVERYWHERE
    return options


def _add_models(parser: argparse.ArgumentParser) -> None:
    """The models, where they compute, and the network."""
    add = parser.add_argument
    model = "a bundled model, gpt1, gpt2, a model folder or a Hub repository"
    add("--model", default="mini", help=model)
    device = "where models compute: a graphics card that works (auto), or the one named"
    add("--device", default="auto", choices=DEVICES, help=device)
    add("--offline", action="store_true", help="never use the network")
    prefetch = "download a model for offline use, such as gpt2, and exit; repeatable"
    add("--prefetch", action="append", default=[], metavar="MODEL", help=prefetch)


def _add_talk(parser: argparse.ArgumentParser) -> None:
    """A talk, its rehearsal and its handout."""
    add = parser.add_argument
    talk = "a talk of your own: the page offers it, and its address opens it"
    add("--talk", metavar="FILE", help=talk)
    check = (
        "check that all is ready for a talk without a network (FILE: each of its scenes), and exit"
    )
    add("--check", nargs="?", const="", metavar="FILE", help=check)
    sheet = "with --check FILE: a picture of every scene on two screens, in one file"
    add("--sheet", metavar="PNG", help=sheet)
    handout = "with --check FILE: a page to print, with every scene's picture and sentence"
    add("--handout", metavar="HTML", help=handout)
    address = "with --handout: where readers find the app, for a QR code beside each scene"
    add("--address", default="", metavar="URL", help=address)


def _add_server(parser: argparse.ArgumentParser, is_space: bool) -> None:
    """Adds the options for the server's address, the proxy in front of it, and MCP."""
    add = parser.add_argument
    host = os.environ.get("GRADIO_SERVER_NAME", "0.0.0.0" if is_space else "127.0.0.1")
    add("--host", default=host, help="address to listen on; 0.0.0.0 lets other machines connect")
    lan = "listen on the local network, and print the address and its QR code"
    add("--lan", action="store_true", help=lan)
    add("--port", type=int, default=None, help="the first free one from 7860 when left out")
    proxy = "every request comes through a proxy: its X-Forwarded-For says who asks"
    add("--behind-proxy", action="store_true", default=is_space, help=proxy)
    root = os.environ.get("GRADIO_ROOT_PATH", "")
    path = "where a proxy shows the page, such as /lens, if not at the root of its site"
    add("--root-path", default=root, metavar="PATH", help=path)
    mcp = "offer the endpoints as tools for assistants, too (Model Context Protocol)"
    add("--mcp", action="store_true", help=mcp)


def _add_visitors(parser: argparse.ArgumentParser, is_space: bool) -> None:
    """Adds the options for who may call the server, and how much each may use."""
    add = parser.add_argument
    hosts = os.environ.get("GPTLENS_HOSTS", "").replace(",", " ").split()
    if is_space:  # its router calls it by names of its own
        hosts += filter(None, ["*", os.environ.get("SPACE_HOST")])
    called = (
        "a name by which browsers may call this server, such as a proxy's; repeatable, or "
        "GPTLENS_HOSTS"
    )
    add("--allow-host", action="append", default=hosts, metavar="NAME", help=called)
    frames = [*_FRAMES_OF_SPACES] if is_space else []
    site = "a site that may show views in a frame, such as https://course.example.org; repeatable"
    add("--frame-ancestors", action="append", default=frames, metavar="ORIGIN", help=site)
    profile = os.environ.get("GPTLENS_PROFILE", "space" if is_space else "local")
    add("--profile", default=profile, choices=list(PROFILES))
    runs = (
        "training runs at a time; others queue and start automatically. The more, the slower "
        "each is"
    )
    add("--training-runs", type=int, metavar="N", help=runs)


def _validate(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Ends with a sentence where a value is wrong."""
    if options.training_runs is not None and not 1 <= options.training_runs <= _MOST_RUNS:
        parser.error(
            f"--training-runs is {options.training_runs}; give a number from 1 to {_MOST_RUNS}"
        )
    if options.port is not None and not 1 <= options.port <= _LAST_PORT:
        parser.error(f"--port is {options.port}; give a number from 1 to {_LAST_PORT}")
    for origin in options.frame_ancestors:
        if not _ORIGIN.fullmatch(origin):
            parser.error(
                f"--frame-ancestors is {origin!r}; give an origin such as "
                "https://course.example.org"
            )
    if options.root_path and not options.root_path.startswith(("/", "http://", "https://")):
        parser.error(f"--root-path is {options.root_path!r}; give a path such as /lens")
    if options.mcp and find_spec("mcp") is None:
        parser.error("--mcp needs a package that is not installed: pip install mcp==1.30.0")
