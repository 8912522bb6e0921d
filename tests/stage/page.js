// The whole page on the stage: what Gradio's front end does for tabs, accordions and fields is done
// here; events of Gradio's are told, and those that a scenario answers are answered.

// --- tabs and accordions
const closestTabs = node => node.closest('.tabs');
const panelsOf = tabs =>
  [...tabs.querySelectorAll('.tabitem')].filter(item => closestTabs(item) === tabs);
const tabsOf = tabs =>
  [...tabs.querySelectorAll('[role=tab]')].filter(item => closestTabs(item) === tabs);

function openTab(button) {
  const tabs = closestTabs(button);
  for (const other of tabsOf(tabs)) other.setAttribute('aria-selected', String(other === button));
  for (const panel of panelsOf(tabs))
    panel.style.display = panel.dataset.tab === button.textContent.trim() ? '' : 'none';
}

function nameOf(node) {
  const holder = node.closest('[id]');
  const words = node.textContent.trim().slice(0, 30);
  return node.id || node.dataset.do || words || holder?.id || node.tagName;
}

function heardClick({target}) {
  const button = target.closest?.('#stage button');
  if (!button) return;
  note('clicks', nameOf(button));
  if (button.getAttribute('role') === 'tab') openTab(button);
  if (!button.matches('.label-wrap')) return;
  button.nextElementSibling.hidden = !button.classList.toggle('open');
}

// --- fields
let idsOfFields; // element id -> name

const typed = (text, like) => {
  if (typeof like === 'boolean') return text === '1' || text === true;
  if (typeof like === 'number') return Number(text);
  return like && typeof like === 'object' ? JSON.parse(text) : text;
};

function valueOfField(holder, node) {
  if (node.type === 'radio') return node.value;
  if (node.type === 'checkbox' && holder.querySelectorAll('input').length === 1)
    return node.checked;
  if (node.type === 'checkbox')
    return [...holder.querySelectorAll('input:checked')].map(item => item.value);
  return node.value;
}

function heardInput({target}) {
  const holder = target.closest?.('#stage [id]:not(fieldset)');
  const name = idsOfFields[holder?.id];
  if (!name) return;
  const value = valueOfField(holder, target);
  const before = store.heldOf(name);
  setTimeout(() => store.holdFields([name], [typeof before === 'number' ? Number(value) : value]));
}

// What the server makes of a link, and of a model that is opened.
async function setFields(link) {
  const {filled} = await import(window.lensBase + '/shared/view/fill.js');
  const settings = [...new URLSearchParams(link)].filter(([name]) => store.heldOf(name) !== null);
  const values = settings.map(([name, text]) => typed(text, store.heldOf(name)));
  store.holdFields(
    settings.map(([name]) => name),
    values,
  );
  filled();
}

function openModel(model) {
  const box = document.querySelector('#model input');
  box.value = `${model} · opened`;
  store.holdFields(['model', 'opened'], [model, model]);
}

function triggered(name, data) {
  note('triggers', name, data);
  if (name === 'fill') setTimeout(() => following(setFields(data.link)), 50);
  if (name === 'open') setTimeout(openModel, 50, data.model);
}

// --- answers of the server
const scripted = {}; // function -> its answers one after the other; the last stays
window.script = (name, given) => (scripted[name] = given);

function answering(id, answersOf) {
  return async (name, request) => {
    note(`asks ${id} ${name}`, ...Object.values(request ?? {}));
    const list = scripted[name];
    if (list) return JSON.stringify(list.length > 1 ? list.shift() : list[0]);
    return answersOf[id]?.[keyOf(name, request)] ?? null;
  };
}

// --- the page
window.mountPage = async given => {
  await prepare(given);
  idsOfFields = given.ids;
  Object.assign(scripted, given.scripted);
  addEventListener('click', heardClick);
  addEventListener('input', heardInput);
  document.querySelector('#stage').innerHTML = given.elements;
  for (const tabs of document.querySelectorAll('.tabs')) openTab(tabsOf(tabs)[0]);
  // In what order modules and first values come must not matter.
  const named = load => given.parts.flatMap(({script}) => [...script.matchAll(load)]);
  for (const [, name] of named(/lensModule\("([^"]+)"\)/g)) await window.lensModule(name);
  const texts = new Map();
  for (const [, name] of named(/lensText\("([^"]+)"\)/g))
    texts.set(name, await window.lensText(name));
  window.lensText = async name => texts.get(name);
  const keys = await window.lensModule('frame/view/keys.js');
  await following(window.lensModule('frame/view/visit.js').then(m => m.visit()));
  await keys.start({register: given.register, ...given.facts});
  for (const part of given.parts) {
    const outer = document.getElementById(part.id); // null for what is not laid out at first
    if (outer) begin(outer, part, answering(part.id, given.answersOf), triggered);
  }
  await settle();
  const {arrive} = await window.lensModule('frame/view/visit.js');
  arrive(new URLSearchParams(location.search).get('tab') ?? '');
};

const inSight = selector =>
  [...document.querySelectorAll(selector)].filter(node => node.getClientRects().length);

// What a screen reader is told besides what components draw.
const READ = ['#tabs [dir=auto]', '[aria-hidden=true]', '[role=radiogroup]', '.term'];

// What of the page stands in no component.
function frameOf() {
  const {activeElement: active, body} = document;
  const open = [...document.querySelectorAll('[role=tab][aria-selected=true]')].filter(
    tab => tab.offsetParent,
  );
  const rest = [...body.children].filter(node => node.id !== 'stage');
  const menu = /** @type {any} */ (document.querySelector('#head .lens-menu'));
  return [
    `body ${body.className}`,
    `focus ${active === body ? '' : nameOf(active)}`,
    `open ${open.map(tab => tab.textContent.trim()).join(', ')}`,
    `address ${location.search}${location.hash}`,
    `state ${JSON.stringify([store.sentence(), store.chosenHead(), store.chosenToken()])}`,
    `framed ${[...document.querySelectorAll('.tour-target')].map(kindOf).join()}`,
    `hidden ${[...document.head.querySelectorAll('style')]
      .map(one => one.textContent)
      .filter(text => text.includes('visibility: hidden'))
      .join()}`,
    `said ${inSight('[role=status], [role=alert]')
      .map(node => node.textContent.trim())
      .filter(Boolean)
      .map(short)
      .join(' | ')}`,
    `named ${inSight('.tabitem[aria-label]')
      .map(panel => panel.getAttribute('aria-label'))
      .join()}`,
    `read ${READ.map(selector => inSight(selector).length).join()}`,
    `menu ${menu?.open ? menu.innerText.replaceAll('\n', ' ') : 'closed'}`,
    ...rest.flatMap(node => lines(node, 0, [])),
  ];
}

// After a step: what was told, and what stands on the page.
window.afterStep = async () => {
  // A browser takes the focus from what is hidden at its next frame, and the page hears of it when
  // something changes after that.
  await frame();
  document.querySelector('#stage').classList.toggle('seen');
  await settle();
  return {log: log.splice(0), lines: frameOf()};
};
