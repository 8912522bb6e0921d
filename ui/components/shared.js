// What the components share; it stands in front of each one's own script.
const visible = text => text.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replace(/^ | $/g, '␣');
const percent = p => p >= 0.9995 ? '100%' : p >= 0.1 ? (100 * p).toFixed(1) + '%' : p >= 0.0001 ? (100 * p).toPrecision(2) + '%' : '<0.01%';

function save(name, href) {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}
function saveText(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], {type}));
  save(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
function add(parent, tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}
// Whether it is on the clipboard now. On an unencrypted page the browser's clipboard is closed; a selection still copies.
async function copyText(text) {
  try { await navigator.clipboard.writeText(text); return true; }
  catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}
const isDark = () => document.body.classList.contains('dark');

// A picture or file that the server makes: said while it is made, and when it cannot be.
async function saveMade(said, name, ask) {
  said.textContent = 'Making the file…';
  const href = await ask().catch(() => null);
  said.textContent = href ? '' : 'The file could not be made. Reload the page and try again.';
  if (href) save(name, href);
}
const csvText = rows => rows.map(row => row.map(cell => '"' + String(cell ?? '').replaceAll('"', '""') + '"').join(',')).join('\n');
