// Keyboard shortcuts, listed by "?"; those for a button press a visible one. A single key acts in
// large type, during a tour, where a figure has the focus, or everywhere once a visitor has chosen
// so (WCAG 2.1.4): who types while no field has the focus must lose nothing. Debounces clicks: 250
// ms on primary buttons, 40 ms on others.
import {openHere} from '../../rooms/exercises/view/exercises.js';
import {watchConnection} from '../../shared/view/connection.js';
import {keepFocus} from './focus.js';
import {endCount} from './frames.js';
import {keepHistory} from './history.js';
import {awaited} from '../../shared/view/awaited.js';
import {goTo} from '../../shared/view/places.js';
import {isOpen, outerTabs, visible} from '../../shared/view/tabs.js';
import {describeViews} from './access.js';
import {startApplying} from './applies.js';
import {offerTextsBack} from './bring_back.js';
import {showMenu} from './menu.js';
import {restoreLook, turnLook} from '../../shared/view/look.js';
import {printAsShown} from './printing.js';
import {noticeTrailingSpaces} from './trailing_space.js';
import {sentence} from '../../shared/view/store.js';
import {shareSentence} from '../../shared/view/text_boxes.js';
import {askWhy} from '../../shared/view/why.js';
import {listOver} from '../../shared/view/dialogs.js';
import {setLan, setRegister} from '../../shared/view/link.js';
import {SAY} from '../../shared/view/workspace.js';
import {
  isTouring,
  leaveTour,
  resumeTour,
  setTalk,
  showAround,
  turnBack,
  turnTour,
} from '../../rooms/hall/view/tour.js';

const AMID =
  'A run is in progress, so G does nothing. Press S to stop it, or click Start to begin another.';
const LIST = [
  ['G', 'presses the main button of the open tab'],
  ['N', 'adds the next token'],
  ['S', 'stops what is running'],
  ['P', 'large type for a room, on or off'],
  ['D', 'dark mode on or off'],
  ['0, 1 to 5', 'opens Start, or one of the five other tabs'],
  ['Q', 'what do you want to know? Questions, each of which opens its view'],
  ['E', 'an exercise about the open view'],
  ['W', 'why this word? What each part of the model wrote for it'],
  ['Page Down, Page Up', 'in large type: the next tab, the one before'],
  ['B or .', 'black screen, on or off'],
  ['T', 'the guided tour; Space or Page Down goes on, Page Up back, Escape leaves'],
  ['?', 'this list'],
];
const FIGURES = 'svg, canvas, table, [role=grid], [role=img]';
const WHERE = 'Keys work in large type, during a tour, and while a figure has the focus.';
const EVERYWHERE = 'Keys work everywhere outside text fields.';

const isClass = name => document.body.classList.contains(name);

// Whether a single key acts: what it was pressed on, beside how the page looks.
const keysAct = target =>
  isTouring() || isClass('present') || isClass('keys') || Boolean(target.closest?.(FIGURES));

// The first stop of the keyboard leads past header and tabs to what the open tab is about.
function addSkipLink() {
  const link = document.createElement('a');
  Object.assign(link, {
    href: '#tabs',
    className: 'lens-skip u-panel',
    textContent: 'Skip to the content',
  });
  link.addEventListener('click', event => {
    event.preventDefault();
    const fields = '#start .st-text, #tabs > .tabitem :is(textarea, input, button:not([role=tab]))';
    visible(fields)?.focus();
  });
  document.body.prepend(link);
}

function showKeys() {
  const everywhere = isClass('keys');
  const act = [
    everywhere ? 'Only in large type and on figures' : 'Let keys work everywhere',
    () => turnLook('keys'),
  ];
  listOver('key-list', 'Keys', LIST, {about: everywhere ? EVERYWHERE : WHERE, acts: [act]});
}

// Closes a file menu after a choice or a click elsewhere; true if one was open.
function closeMenus(event) {
  const menus = [...document.querySelectorAll('details:is(.lens-save, .lens-menu)[open]')];
  const left = menus.filter(menu => !menu.contains(event.target) || event.target.closest('button'));
  for (const menu of left) menu.open = false;
  return left.length > 0;
}

// Folds the model's card, which lies over the views; true if it was open.
function closeCard() {
  const open = /** @type {HTMLElement} */ (document.querySelector('#card > .label-wrap.open'));
  open?.click();
  return Boolean(open);
}

export async function start(given) {
  restoreLook(given.large);
  // Where scripts are compiled already, they come before Gradio has laid out the page.
  await awaited(() => document.querySelector('#tabs'), undefined, Infinity);
  endCount();
  watchConnection();
  setLan(given.lan ?? '');
  setTalk(given.talk ?? '', given.model ?? '');
  setRegister(given.register);
  startApplying(given.register.fields);
  shareSentence();
  offerTextsBack();
  noticeTrailingSpaces();
  keepFocus();
  printAsShown();
  const silent = ['range', 'checkbox', 'radio', 'button'];
  const typing = e =>
    ['TEXTAREA', 'SELECT'].includes(e.target.tagName) ||
    e.target.isContentEditable ||
    (e.target.tagName === 'INPUT' && !silent.includes(e.target.type));
  const press = selector => visible(selector)?.click();
  const darken = () => document.body.classList.toggle('black');
  const keys = {
    // A stray key press must not restart a run in progress.
    g: () =>
      document.querySelector('#train .tr-learning')?.offsetParent
        ? dispatchEvent(new CustomEvent(SAY, {detail: AMID}))
        : press('#tabs button.primary, #start .st-play:not(.on)'),
    n: () => press('#next-token, #start [data-do=next]'),
    s: () => press('#tabs button.stop, #train [data-cmd=stop], #start .st-play.on'),
    p: () => {
      turnLook('present');
      window.dispatchEvent(new Event('resize'));
    },
    d: () => turnLook('dark'),
    b: darken,
    '.': darken,
    '?': showKeys,
    q: async () => {
      await goTo(new URLSearchParams({tab: 'Start', once: '.st-search'}));
      document.querySelector('.st-search')?.focus();
    },
    w: () => {
      const asks = visible('#start [data-do=why], #stream .ts-why');
      if (asks) asks.click();
      else askWhy(sentence());
    },
    e: openHere,
    t: () => (isTouring() ? leaveTour() : showAround()),
  };
  describeViews();
  addSkipLink();
  showMenu(keys);
  const turn = by => {
    const tabs = outerTabs();
    tabs[tabs.findIndex(isOpen) + by]?.click();
  };
  const remote = {pagedown: 1, pageup: -1}; // what the buttons of a presenter's remote send
  document.addEventListener('click', () => document.body.classList.remove('black'), true);
  // A text box keeps its height when the type or the width changes; its last line must not be cut.
  const fit = () =>
    document.querySelectorAll('textarea').forEach(area => {
      if (!area.offsetParent) return;
      area.style.height = 'auto';
      area.style.height = Math.min(area.scrollHeight + 2, 300) + 'px';
    });
  window.addEventListener('resize', () => setTimeout(fit, 60));
  document.addEventListener('click', closeMenus);
  const pressed = new WeakMap();
  document.addEventListener(
    'click',
    (/** @type {any} */ e) => {
      const button = e.target.closest?.('#tabs button');
      if (!button) return;
      // milliseconds; nobody clicks faster
      const soonest = button.classList.contains('primary') ? 250 : 40;
      // When it was clicked: a busy page handles clicks later, one right after the other. `detail`
      // is 1 for the first click of a mouse, more for the next ones of a double click, and 0 for a
      // key.
      if (e.detail !== 1 && e.timeStamp - (pressed.get(button) ?? -1000) < soonest) {
        e.stopImmediatePropagation();
        e.preventDefault();
      } else pressed.set(button, e.timeStamp);
    },
    true,
  );
  document.addEventListener('keydown', (/** @type {any} */ e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.repeat) return;
    const key = e.key.toLowerCase();
    if (typing(e)) {
      // A remote's keys work wherever the cursor stands, and Escape leaves a field. Gradio's lists
      // use it, too.
      if (key === 'escape') e.target.blur();
      if (!remote[key] || !(isTouring() || document.body.classList.contains('present'))) return;
      e.target.blur();
    }
    const pressing =
      // its own key
      key === ' ' && e.target.closest?.('button, summary, a, input, canvas, [tabindex]');
    const onward = pressing ? 0 : {' ': 1, ...remote}[key];
    if (isTouring() && (onward || key === 'escape')) {
      if (onward) turnTour(onward);
      else leaveTour();
      e.preventDefault();
    } else if (key === 'escape' && (closeMenus({target: document.body}) || closeCard())) {
      e.preventDefault();
    } else if (key.length === 1 && key !== '?' && !keysAct(e.target)) {
      return;
    } else if (keys[key]) {
      keys[key]();
      e.preventDefault();
    } else if (remote[key] && document.body.classList.contains('present')) {
      turn(remote[key]);
      e.preventDefault();
    } else if ('012345'.includes(key)) outerTabs()[+key]?.click();
  });
  keepHistory(() => {
    if (!isTouring()) return false;
    turnBack();
    return true;
  });
  resumeTour();
  const query = new URLSearchParams(location.search);
  const way = ['view', 'once', 'choose', 'see'].map(name => [name, query.get(name) ?? '']);
  if (!isTouring() && query.get('view')) goTo(new URLSearchParams(way));
  if (!document.body.classList.contains('present')) return;
  const fitted = new MutationObserver(() => {
    if (!document.querySelector('#prompt textarea')) return;
    fitted.disconnect();
    requestAnimationFrame(fit);
  });
  fitted.observe(document.body, {childList: true, subtree: true, attributes: true});
}
