"""What stands on the page and is no answer any more says so at once: every need of every component
of every view.

The views are those of the register, the components and their needs those of the open page: what is
added is tried without a line here.
"""

import pytest
from layout import views

from ui.views import TABS

# Changes each need of each component that has been started, looks at the component in the same
# moment, and puts the need back. Gives [id, need, whether the component is marked].
CHANGED = """async () => {
  const {answerOf} = await lensModule('shared/view/ask.js');
  const store = await lensModule('shared/view/store.js');
  const put = (name, value) => {
    if (name === 'head') store.chooseHead(value);
    else if (name === 'token') store.chooseToken(value);
    else store.holdFields([name], [value]);
  };
  const other = name => (name === 'head' ? [98, 99] : name === 'token' ? 9999 : 'of another question');
  const isMarked = element => ['data-stale', 'data-withheld'].some(name => element.hasAttribute(name));
  const found = [];
  for (const element of document.querySelectorAll('.lens-component[id]')) {
    const answer = answerOf(element.id);
    if (!answer.element) continue;
    for (const need of answer.needs) {
      const names = need.split('|');
      const name = names.find(one => store.valueOf(one) !== 'the model above') ?? names.at(-1);
      const before = store.valueOf(name);
      const wasMarked = isMarked(answer.element);
      put(name, other(name));
      found.push([element.id, need, !wasMarked && isMarked(answer.element)]);
      put(name, before);
    }
  }
  return found;
}"""


@pytest.mark.parametrize("tab", TABS, ids=lambda tab: tab.name)
def test_whatever_a_component_depends_on_marks_it_from_the_moment_that_it_changes(visit, tab):
    page = visit(f"?tab={tab.name}")
    for view in views(page):
        found = page.evaluate(CHANGED)
        unmarked = [(name, need) for name, need, is_marked in found if not is_marked]
        assert found and unmarked == [], view
