"""Stop strings, matched across token boundaries."""

from collections.abc import Sequence
from dataclasses import replace

from gptcore.inference.token import GeneratedToken


class StopMatcher:
    """Releases tokens, but holds back those that may belong to a stop string.

    Args:
        stop: the strings to look for.
        written: text that is already shown; a stop string may begin in it.
    """

    def __init__(self, stop: Sequence[str], written: str) -> None:
        self._stop = list(stop)
        self._longest = max((len(text) for text in stop), default=1)
        self._before = written[len(written) - self._longest + 1 :] if self._longest > 1 else ""
        self._held: list[GeneratedToken] = []

    def push(self, token: GeneratedToken) -> tuple[list[GeneratedToken], int | None]:
        """Takes a token.

        Returns:
            The tokens now known to be safe, and None; or, when a stop string is complete, the tokens before it, the
            last one cut where it begins, and the number of dropped tokens.
        """
        self._held.append(token)
        text = self._before + "".join(held.text for held in self._held)
        places = [text.find(stop) for stop in self._stop if stop in text]
        if places:
            return self._cut(min(places) - len(self._before))
        safe = next((p for p in range(len(text)) if any(stop.startswith(text[p:]) for stop in self._stop)), len(text))
        n_safe, end = 0, len(self._before)
        for held in self._held:
            if end + len(held.text) > safe:
                break
            n_safe, end = n_safe + 1, end + len(held.text)
        if self._stop and n_safe:  # hold one back to carry the end reason if a stop string follows
            n_safe, end = n_safe - 1, end - len(self._held[n_safe - 1].text)
        released, self._held = self._held[:n_safe], self._held[n_safe:]
        self._before = text[max(0, end - self._longest + 1) : end]
        return released, None

    def flush(self) -> list[GeneratedToken]:
        """Releases the held tokens once generation has ended."""
        held, self._held = self._held, []
        return held

    def _cut(self, length: int) -> tuple[list[GeneratedToken], int]:
        held, kept = self.flush(), []
        for token in held:
            if length <= 0:
                break
            kept.append(replace(token, text=token.text[:length]))
            length -= len(token.text)
        return kept, len(held) - len(kept)
