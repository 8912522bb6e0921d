"""The local network: this machine's address in it."""

import ipaddress
import socket

EVERYWHERE = "0.0.0.0"
_ELSEWHERE = ("192.0.2.1", 9)  # reserved for documentation (RFC 5737): asked for a route, sent nothing


def own_address() -> str:
    """This machine's address on the local network; "" if it is on none.

    Connecting a UDP socket chooses a route and sends nothing.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
            address = probe.getsockname()[0]
        except OSError:
            return ""
    return "" if ipaddress.ip_address(address).is_loopback or address == EVERYWHERE else address
