// What Gradio leaves unsaid to a screen reader: every open view begins with a heading, and the
// arrows of lists are not read, which are pictures.
import {add} from '../../shared/view/dom.js';
import {showApplying} from './applies.js';
import {explainWords, watchWords} from './glossary.js';

const ARROWS = ':is(.icon-wrap, .label-wrap .icon):not([aria-hidden])';

function name(panel) {
  if (panel.querySelector(':scope > h2.view-name')) return;
  const row = panel.closest('.tabs');
  const open = [...row.querySelectorAll('[role=tab][aria-selected=true]')].find(
    tab => tab.closest('.tabs') === row,
  );
  const title = open?.textContent.trim();
  if (!title) return;
  panel.setAttribute('aria-label', title);
  panel.prepend(add(panel, 'h2', 'view-name', title));
}

// Gradio names the buttons of one choice apart, so that the arrow keys go nowhere: those of a group
// have one name.
function nameGroups(root) {
  for (const group of root.querySelectorAll('fieldset[id]:has(input[type=radio])')) {
    group.setAttribute('role', 'radiogroup');
    const title = group.querySelector('[data-testid=block-info]')?.textContent.trim();
    if (title) group.setAttribute('aria-label', title);
    for (const input of group.querySelectorAll('input[type=radio]'))
      /** @type {HTMLInputElement} */ (input).name = group.id;
  }
}

// What people write and models answer begins at the side where its language begins.
const TEXTS =
  ':is(textarea, input[type=text], [class*=u-reading], .u-token, .wy-text, .ct-words, .ln-text, .ch-turn)';

function describe(root) {
  for (const text of root.querySelectorAll(`#tabs ${TEXTS}:not([dir])`))
    text.setAttribute('dir', 'auto');
  for (const panel of root.querySelectorAll('.tabitem[role=tabpanel]'))
    if (panel.getClientRects().length) name(panel);
  for (const arrow of root.querySelectorAll(ARROWS)) arrow.setAttribute('aria-hidden', 'true');
  nameGroups(root);
}

export function describeViews() {
  let timer = null;
  watchWords();
  const now = () => {
    timer = null;
    describe(document.body);
    showApplying();
    explainWords();
  };
  // Views are mounted when they open, some time after their tab has been chosen.
  const soon = () => (timer ??= setTimeout(now, 50));
  const tabs = document.querySelector('#tabs');
  new MutationObserver(soon).observe(tabs, {subtree: true, attributeFilter: ['aria-selected']});
  new ResizeObserver(soon).observe(tabs);
  soon();
}
