"""Waiting in a real browser for what is awaited, never for a time: how fast a machine is must not
matter.
"""

from pathlib import Path

from playwright.sync_api import Page, TimeoutError

# Valid values of the pieces of state that scripts put into links, for a text and the mini.
PIECES = {
    "without": "L3H1,L0-mlp",
    "start_temperature": "1.50",
    "start_top_k": "4",
    "dice": "77",
    "draws": "lines",
    "cell": "5-2",
    "zoom": "2-9-1-8",
    "neuron": "2.17",
    "after": "3",
    "word": "300",
    "rival": "301",
    "patched": "1-2.2-2",
    "difference": "2-3",
    "logits": "3, 2, 1, 0",
    "cut_p": "0.5",
    "columns": "0.3_1_2_2_4_9",
    "cut": "A text of one's own.",
}

# Goes to a link without a load, as a talk does; to be called with its query.
GO = """async query => {
  const {goHere} = await lensModule('shared/view/places.js');
  return goHere(new URLSearchParams(query), undefined, true);
}"""

# Counts what the page has asked of the server and not been answered yet: requests, and events in
# Gradio's queue.
COUNT_REQUESTS = """
(() => {
  const asked = window.gptlensAsked = {open: 0, events: new Set(), changes: 0, begun: false}, ended = new Set();
  const fetchNow = window.fetch;
  const follow = async body => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const {done, value} = await reader.read().catch(() => ({done: true}));
      if (done) return;
      text += value;
      const lines = text.split('\\n');
      text = lines.pop();
      for (const line of lines) {
        if (!line.startsWith('data:')) continue;
        const message = JSON.parse(line.slice(5));
        if (message.msg === 'process_completed') { ended.add(message.event_id); asked.events.delete(message.event_id); }
      }
    }
  };
  window.fetch = async (...given) => {
    const url = String(given[0]?.url ?? given[0]);
    if (url.includes('/heartbeat/')) return fetchNow(...given);
    asked.begun = true;
    if (url.includes('/queue/data')) {
      const response = await fetchNow(...given);
      if (!response.body) return response;
      const [ours, theirs] = response.body.tee();
      follow(ours);
      return new Response(theirs, {status: response.status, headers: response.headers});
    }
    asked.open += 1;
    try {
      const response = await fetchNow(...given);
      if (url.includes('/queue/join') && response.ok) {
        const {event_id: id} = await response.clone().json();  // its answer may have come before this one
        if (!ended.has(id)) asked.events.add(id);
      }
      return response;
    } finally { asked.open -= 1; }
  };
  const watched = {subtree: true, childList: true, characterData: true};
  const changed = new MutationObserver(() => { asked.changes += 1; });
  const observe = () => document.body && changed.observe(document.body, watched);  // none where a page is left at once
  document.body ? observe() : document.addEventListener('DOMContentLoaded', observe);
})();
"""

# Something has been asked, and nothing more is asked or changed over several frames. Frames, and
# not milliseconds: a busy machine draws fewer.
_QUIET = """
async () => {
  const asked = window.gptlensAsked;
  const ask = await window.lensModule?.('shared/view/ask.js').catch(() => null);
  let quiet = 0, changes = asked.changes;
  return new Promise(done => {
    const look = () => {
      const isDone = asked.begun && asked.open === 0 && asked.events.size === 0 && !ask?.isAsking();
      const still = isDone && asked.changes === changes;
      quiet = still ? quiet + 1 : 0;
      changes = asked.changes;
      quiet >= FRAMES ? done(true) : requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}
"""


def settled(page: Page, frames: int = 12) -> None:
    """Waits until the page has been answered everything it asked, and has drawn it."""
    try:
        page.wait_for_function(_QUIET.replace("FRAMES", str(frames)), timeout=120_000)
    except TimeoutError as error:
        state = page.evaluate("() => ({...gptlensAsked, events: [...gptlensAsked.events]})")
        raise AssertionError(f"{page.url} is not quiet: {state}") from error


def enter(page: Page, field: str, value: str, key: str = "Tab") -> None:
    """Fills a field, and presses a key that ends it."""
    page.fill(field, value)
    page.keyboard.press(key)


def choose(page: Page, where: str, name: str) -> None:
    """Picks from a list by typing."""
    enter(page, f"{where} input", name, "Enter")


def open_accordion(page: Page, selector: str) -> None:
    """Opens an accordion and waits until it has its full height: a field that is filled before is
    set back.
    """
    page.click(f"{selector} .label-wrap")
    page.wait_for_function(
        """selector => new Promise(done => {
          let before = -1, same = 0;
          const look = () => {
            const height = document.querySelector(selector).getBoundingClientRect().height;
            same = height === before ? same + 1 : 0;
            before = height;
            same > 10 ? done(true) : requestAnimationFrame(look);
          };
          look();
        })""",
        arg=selector,
    )
    settled(page)


def saved(page: Page, where: str, action: str) -> Path:
    """A file that a panel is saved as, picked from its menu, which then closes."""
    menu = page.locator(f"{where} .lens-save:visible").filter(
        has=page.locator(f"[data-do={action}]")
    )
    if menu.count():
        menu.locator("summary").click()
    with page.expect_download() as download:
        page.locator(f"{where} [data-do={action}]:visible").click()
    assert menu.count() == 0 or menu.get_attribute("open") is None
    return Path(download.value.path())
