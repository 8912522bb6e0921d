// The parts of a picture that can be pointed at, focused and pressed; one stop of the keyboard for
// all of them.
import {add, addButton} from './dom.js';
import {put} from './svg.js';

// On a phone a part opens as a sheet: what it does, and what can be done with it.
function openSheet(from, sentence, acts) {
  const sheet = add(document.body, 'dialog', 'mc-sheet lens-component');
  add(sheet, 'p', '', sentence);
  const row = add(sheet, 'div', 'mc-sheet-row u-row u-apart');
  const close = () => {
    sheet.close();
    sheet.remove();
    from.focus?.();
  };
  for (const [title, act] of acts)
    addButton(row, '', title, () => {
      close();
      act();
    });
  addButton(row, '', 'Close', close);
  sheet.addEventListener('cancel', close);
  sheet.addEventListener('click', event => event.target === sheet && close());
  sheet.showModal();
}

// box: of the picture; status: where a part's sentence stands.
export function machineParts(box, status) {
  // A part of the picture that can be pointed at, focused and pressed. acts: [title, what it does]
  // each; a press does the first one, or nothing where there is none. off: whether it is switched
  // off, undefined where it cannot be; then Delete switches it, too.
  function part(parent, name, sentence, acts, off) {
    const names = {
      class: off ? 'mc-part off' : 'mc-part',
      'data-part': name,
      'aria-label': sentence,
    };
    const group = put(parent, 'g', {...names, role: acts.length ? 'button' : 'img', tabindex: -1});
    if (off !== undefined) group.setAttribute('aria-pressed', String(off));
    const press = acts[0]?.[1] ?? (() => {});
    const show = () => (status.textContent = sentence);
    for (const event of ['pointerenter', 'focus']) group.addEventListener(event, show);
    group.addEventListener('click', () => {
      show();
      if (matchMedia('(hover: none)').matches) openSheet(group, sentence, acts);
      else press();
    });
    group.addEventListener('keydown', event => {
      const by = {
        ArrowRight: 1,
        ArrowDown: 1,
        ArrowLeft: -1,
        ArrowUp: -1,
        Home: -Infinity,
        End: Infinity,
      }[event.key];
      if (by) step(group, by);
      else if (event.key === 'Enter' || event.key === ' ') press();
      else if (off !== undefined && (event.key === 'Delete' || event.key === 'Backspace')) press();
      else return;
      event.preventDefault();
    });
    return group;
  }

  // The picture is one stop of the keyboard; arrow keys go from part to part.
  function step(from, by) {
    const all = [...box.querySelectorAll('.mc-part')];
    const to = all[Math.max(0, Math.min(all.length - 1, all.indexOf(from) + by))];
    reach(to);
    to.focus();
  }

  function reach(item) {
    for (const was of box.querySelectorAll('.mc-part[tabindex="0"]'))
      was.setAttribute('tabindex', '-1');
    item?.setAttribute('tabindex', '0');
  }
  return {part, reach};
}
