"""Gradio's stream of answers in a browser: a question that is asked while it is being closed is
answered, too.
"""

from playwright.sync_api import expect

from browser import settled

# Holds back the end of each stream until the page has asked its next question, as a busy network
# may.
_LATE_END = """
(() => {
  const fetchNow = window.fetch;
  const waiting = [];
  window.lensLateEnds = 0;
  const asked = () => new Promise(done => waiting.push(done));
  const late = () => new TransformStream({
    async transform(chunk, controller) {
      const text = new TextDecoder().decode(chunk);
      const end = text.indexOf('data: {"msg":"close_stream"');  // alone, or behind an answer
      if (end < 0) return controller.enqueue(chunk);
      controller.enqueue(new TextEncoder().encode(text.slice(0, end)));
      await asked();
      window.lensLateEnds += 1;
      controller.enqueue(new TextEncoder().encode(text.slice(end)));
    },
  });
  window.fetch = async (...given) => {
    const url = String(given[0]?.url ?? given[0]);
    const held = url.includes('/queue/join') ? waiting.splice(0) : [];
    const response = await fetchNow(...given);
    setTimeout(() => held.forEach(done => done()), 100);
    if (url.includes('/queue/data')) return new Response(response.body.pipeThrough(late()), response);
    return response;
  };
})();
"""


def test_a_question_that_is_asked_while_the_stream_is_closed_is_answered(visit):
    page = visit()
    page.add_init_script(_LATE_END)
    page.reload()
    settled(page)
    for text in ("The old boat", "A small cat", "One day the"):
        page.fill("#prompt textarea", text)
        expect(page.locator("#distribution[data-stale]")).to_have_count(0)
        expect(page.locator("#distribution")).not_to_have_attribute("aria-busy", "true")
        settled(page)
    page.click("#tabs button[role=tab]:has-text('Zero-shot')")
    page.fill("#zs-field-0 textarea", "The film was a joy.")
    expect(page.locator("#zs-view .zs-prompt")).to_contain_text("The film was a joy.")
    assert page.evaluate("lensLateEnds") > 0
