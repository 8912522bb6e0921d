// The architecture as SVG that the server drew; a click on a part shows its formula, its count and its code.
const box = element.querySelector('.dr-box'), detail = element.querySelector('.dr-detail'), said = element.querySelector('.dr-said');
let value = null, chosen = 'attention';

function take() {
  if (!props.value) return;
  value = JSON.parse(props.value);
  element.querySelector('.dr-message').textContent = value.message || '';
  element.querySelector('.dr-body').hidden = Boolean(value.message);
  if (!value.message) { draw(); show(chosen); }
}
function draw() {
  // The text of the drawing is numbers and names of presets, made by the server's own figure code.
  box.innerHTML = isDark() ? value.dark : value.light;
  const svg = box.querySelector('svg');
  svg.removeAttribute('width');
  svg.removeAttribute('height');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'Architecture; the parts are listed as buttons below');
  for (const part of box.querySelectorAll('[id^="part-"]')) {
    const name = part.id.slice(5).replace(/^block-.*/, 'attention');
    part.style.cursor = 'pointer';
    part.addEventListener('click', () => show(name));
  }
}
function show(name) {
  if (!value.parts[name]) return;
  chosen = name;
  const list = element.querySelector('.dr-parts');
  list.textContent = '';
  for (const [key, part] of Object.entries(value.parts)) {
    const button = add(list, 'button', '', part.title);
    button.type = 'button';
    button.setAttribute('aria-pressed', key === name);
    button.addEventListener('click', () => { show(key); [...list.children].find(b => b.textContent === part.title)?.focus(); });
  }
  const part = value.parts[name];
  detail.textContent = '';
  add(detail, 'h3', '', part.title);
  add(detail, 'p', 'dr-formula', part.formula);
  add(detail, 'p', '', part.count);
  for (const [place, code] of part.code) {
    add(detail, 'p', 'dr-place', place);
    add(detail, 'pre', 'dr-code', code);
  }
}
element.querySelector('.ts-tools').addEventListener('click', e => {
  const kind = e.target.dataset.do;
  if (kind && value && !value.message) saveMade(said, `${value.name}-architecture.${kind}`, () => server.picture([value.shape, kind, isDark()]));
});
new MutationObserver(() => { if (value && !value.message) draw(); }).observe(document.body, {attributes: true, attributeFilter: ['class']});
watch('value', take);
take();
