// What the components share; it stands in front of each one's own script.
const visible = text => text.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replace(/^ | $/g, '␣');
const percent = p => p >= 0.9995 ? '100 %' : p >= 0.1 ? (100 * p).toFixed(1) + ' %' : p >= 0.0001 ? (100 * p).toPrecision(2) + ' %' : '< 0.01 %';

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
