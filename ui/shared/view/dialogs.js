// Dialogs over the page.
import {add, addButton} from './dom.js';

// A link as a QR code, an SVG that the server has drawn, large enough for the back row.
export function showCode(link, svg) {
  const dialog = add(document.body, 'dialog', 'lens-code u-panel lens-component');
  dialog.setAttribute('aria-label', 'A link for phones');
  // drawn by the server from the link alone
  if (svg) add(dialog, 'div', 'lens-code-drawn').innerHTML = svg;
  add(dialog, 'p', '', link);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(link).hostname);
  if (local)
    add(
      dialog,
      'p',
      '',
      'Only this machine can open it. Start the app with --lan for phones in the same network.',
    );
  addButton(dialog, '', 'Close', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', event => event.target === dialog && dialog.close());
  dialog.showModal();
}

// A list of words, each with what it is, over the page; where it is open, it closes. about: a
// sentence above them; acts: [title, what it does] of buttons below.
export function listOver(id, label, rows, {about = '', acts = []} = {}) {
  const open = /** @type {any} */ (document.getElementById(id));
  if (open) return void open.close();
  const dialog = add(document.body, 'dialog', 'lens-list u-panel');
  dialog.id = id;
  dialog.setAttribute('aria-label', label);
  if (about) add(dialog, 'p', '', about);
  const list = add(dialog, 'dl', '');
  for (const [word, says] of rows) {
    add(list, 'dt', '', word);
    add(list, 'dd', '', says);
  }
  const row = add(dialog, 'div', 'u-row u-apart');
  for (const [title, act] of acts) addButton(row, '', title, act);
  addButton(row, '', 'Close', () => dialog.close()).autofocus = true;
  dialog.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  dialog.showModal();
}
