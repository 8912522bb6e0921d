// What the components do with the page: nodes, files, the clipboard, links, light and dark.

export function add(parent, tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

// A button, which never submits a form.
export function addButton(parent, className, text, press) {
  const button = add(parent, 'button', className, text);
  button.type = 'button';
  if (press) button.addEventListener('click', press);
  return button;
}

export const isDark = () => document.body.classList.contains('dark');

// Calls back when the page turns light or dark, or large for a projector.
export function onLook(changed) {
  new MutationObserver(changed).observe(document.body, {attributes: true, attributeFilter: ['class']});
}

// An event that has the view of runs say a sentence, in its detail.
export const SAY = 'gptlens-say';

// --- what is being computed
// Marks a component, whose content is then seen to be stale; the style sheet says "Computing…" after a moment.
export const mark = (element, on) =>
  on ? element.setAttribute('aria-busy', 'true') : element.removeAttribute('aria-busy');

// Marks components by their ids while an event of Gradio's is answered; gives the event's inputs back.
export function computing(ids, on, inputs = []) {
  for (const id of ids) {
    const element = document.getElementById(id);
    if (element) mark(element, on);
  }
  return inputs;
}

// --- questions to the server
const [OPENING, OPENING_TRIES] = [400, 60]; // milliseconds between two questions about a model that is being opened
// Asks once nothing has changed for a moment, and takes the answer, parsed; one to an older question is dropped. The
// returned function asks; what it is given comes to `ask`. Without an answer it takes a message. The element that shows
// the answer is marked meanwhile. While a model is still being opened, it asks again.
export function asking(element, ask, take, pause = 250) {
  const lost = {message: 'The server did not answer. Change something to try again.'};
  let timer = null;
  let newest = 0;
  function later(given, delay, mine, left) {
    timer = setTimeout(async () => {
      mark(element, true);
      const answer = await ask(...given).catch(() => null);
      if (mine !== newest) return;
      const found = answer ? JSON.parse(answer) : lost;
      if (found.opening && left) {
        later(given, OPENING, mine, left - 1);
        return;
      }
      mark(element, false);
      take(found);
    }, delay);
  }
  return (given = [], delay = pause) => {
    clearTimeout(timer);
    later(given, delay, ++newest, OPENING_TRIES);
  };
}

// --- files
export function save(name, href) {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}

export function saveText(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], {type}));
  save(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// A picture or file that the server makes: said while it is made, and when it cannot be.
export async function saveMade(said, name, ask) {
  said.textContent = 'Making the file…';
  const href = await ask().catch(() => null);
  said.textContent = href ? '' : 'The file could not be made. Reload the page and try again.';
  if (href) save(name, href);
}

// Actions for the buttons of a slide: `ask(format, dark)` has the server draw it.
export const slides = (said, name, ask) =>
  Object.fromEntries(
    ['png', 'svg'].map(format => {
      const file = () => `${typeof name === 'function' ? name() : name}.${format}`;
      return [format, () => saveMade(said, file(), () => ask(format, isDark()))];
    }),
  );

// Runs the action that a clicked button names in data-do.
export function onTools(element, actions) {
  element.addEventListener('click', event => actions()?.[event.target.dataset?.do]?.(event));
}

// --- the clipboard
// Whether it is on the clipboard now. On an unencrypted page that is closed; a selection still copies.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}

// --- links
export const LONGEST_TEXT = 2000; // characters of a text that a link holds

// Names and values as an object.
export const named = (names, values) => Object.fromEntries(names.map((name, i) => [name, values[i]]));

// The address of a view: this page's, with nothing but the given settings and how the page looks.
export function linkTo(address, settings, {present = false} = {}) {
  const url = new URL(address);
  const theme = url.searchParams.get('__theme');
  url.search = '';
  for (const [name, value] of Object.entries(settings))
    if (value !== null && value !== undefined && value !== '')
      url.searchParams.set(name, String(value).slice(0, LONGEST_TEXT));
  if (theme) url.searchParams.set('__theme', theme);
  if (present) url.searchParams.set('present', '1');
  return url.toString();
}

// The address of this server in the local network, "" where it is not served there.
let lan = '';
export const setLan = address => {
  lan = address;
};

// A link to a view for other machines: this one's own name would mean themselves.
export function linkFor(settings, address = location.href) {
  const url = new URL(linkTo(address, settings));
  if (lan && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = lan;
  return url.toString();
}

// A link as a QR code, an SVG that the server has drawn, large enough for the back row.
export function showCode(link, svg) {
  const dialog = add(document.body, 'dialog', 'lens-code lens-component');
  dialog.setAttribute('aria-label', 'A link for phones');
  if (svg) add(dialog, 'div', 'lens-code-drawn').innerHTML = svg; // drawn by the server from the link alone
  add(dialog, 'p', '', link);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(link).hostname);
  if (local)
    add(dialog, 'p', '', 'Only this machine can open it. Start the app with --lan for phones in the same network.');
  addButton(dialog, 'lens-plain', 'Close', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', event => event.target === dialog && dialog.close());
  dialog.showModal();
}

// Puts a view's link into the address bar and on the clipboard; returns a sentence that says what was done.
export async function shareLink(settings, note = '') {
  const link = linkTo(location.href, settings, {present: document.body.classList.contains('present')});
  history.replaceState(history.state, '', link);
  const cut = Object.values(settings).some(value => String(value ?? '').length > LONGEST_TEXT);
  const more = cut ? 'A text was too long and is cut.' : note;
  const copied = await copyText(link);
  const done = copied
    ? 'The link is in the address bar and on the clipboard.'
    : 'The link is in the address bar; copy it from there.';
  return more ? `${done} ${more}` : done;
}
