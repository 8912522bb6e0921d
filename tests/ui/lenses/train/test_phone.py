"""Links for phones: QR codes, and this machine's address in its network."""

from unittest.mock import MagicMock
from xml.etree import ElementTree

import pytest

from ui.lenses.train.events import phone
from ui.shared import qr
from ui.shared.qr import qr_svg, qr_terminal

LINK = "http://192.168.0.7:7860/?tab=train&workspace=k3j5h2k1j4h5k6j7h8g9f0"


def test_a_link_is_drawn_as_a_square_of_modules(services):
    drawn = qr_svg(LINK)
    assert drawn is not None
    root = ElementTree.fromstring(drawn)
    _, _, width, height = root.get("viewBox").split()
    assert root.tag == "svg" and width == height
    assert phone(services, {"link": LINK}) == drawn and qr_svg(LINK + "1") != drawn
    lines = qr_terminal(LINK).splitlines()
    assert len(lines) > 15 and not any("http" in line for line in lines)


@pytest.mark.parametrize(
    "link", [None, 7, "", "javascript:alert(1)", "file:///etc/passwd", "http://x/" + "a" * 1000]
)
def test_what_is_no_link_has_no_code(services, link):
    assert (
        qr_svg(link) is None
        and phone(services, {"link": link}) is None
        and phone(services, link) is None
    )


def test_a_machine_without_a_network_has_no_address(monkeypatch):
    unreachable = MagicMock()
    unreachable.return_value.__enter__.return_value.connect.side_effect = OSError(
        "Network is unreachable"
    )
    monkeypatch.setattr(qr.socket, "socket", unreachable)
    assert qr.own_address() == ""
