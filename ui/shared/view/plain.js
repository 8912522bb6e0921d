// Formatting of texts and numbers. Pure functions.

export const visible = text =>
  text.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replace(/^ | $/g, '␣');

// A head as tables and lists name it.
export const headTag = (layer, head) => `L${layer}H${head}`;

// Two decimals, with a minus sign where there is something below zero.
export const hundredths = x => (Math.abs(x) < 0.005 ? '0.00' : x.toFixed(2).replace('-', '−'));

export function percent(p) {
  if (p >= 0.9995) return p >= 1 ? '100%' : p >= 0.99995 ? '>99.99%' : (100 * p).toFixed(2) + '%';
  if (p >= 0.1) return (100 * p).toFixed(1) + '%';
  return p >= 0.0001 ? (100 * p).toPrecision(2) + '%' : '<0.01%';
}

// A number of any size in about three digits.
export function figure(value) {
  const size = Math.abs(value);
  if (size >= 10) return value.toFixed(size >= 100 ? 0 : 1);
  return value.toFixed(size < 1 ? 3 : 2);
}

export function tickLabel(value) {
  if (value === 0) return '0';
  if (Math.abs(value) >= 1000) return value.toLocaleString('en');
  return Math.abs(value) < 0.01 ? value.toExponential(0) : String(+value.toPrecision(3));
}

// "1 token", "2 tokens".
export const counted = (n, one) => `${n.toLocaleString('en')} ${one}${n === 1 ? '' : 's'}`;

// Round numbers that divide an axis into about so many parts.
export function ticks(low, high, wanted) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough) || rough;
  const marks = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-6; value += step)
    marks.push(Math.abs(value) < step * 1e-6 ? 0 : value);
  return marks;
}

// Bias-corrected exponential moving average whose window grows with the run.
export function smoothed(values) {
  let mean = 0;
  let weight = 0;
  return values.map((value, i) => {
    const keep = 1 - 1 / Math.max(2, Math.min(30, i / 8));
    mean = keep * mean + (1 - keep) * value;
    weight = keep * weight + (1 - keep);
    return mean / weight;
  });
}

// Rows as CSV. A text that a spreadsheet would take for a formula gets an apostrophe in front,
// which it hides.
export const csvText = rows =>
  rows.map(row => row.map(cell => `"${defused(cell).replaceAll('"', '""')}"`).join(',')).join('\n');

function defused(cell) {
  const text = String(cell ?? '');
  const isNumber = typeof cell === 'number' || (text.trim() !== '' && Number.isFinite(+text));
  return !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

// A name too long to be guessed (`ui/frame/view/page_key.js`).
export const drawnName = () => /** @type {any} */ (window).lensDrawnName();

// Words of bytes, each a string of one character a byte, after merges of [left, right] have been
// made in order.
export function applied(words, merges) {
  return words.map(word => {
    let parts = [...word];
    for (const [left, right] of merges) {
      if (!word.includes(left + right)) continue;
      const next = [];
      for (let i = 0; i < parts.length; i++) {
        if (parts[i] === left && parts[i + 1] === right) next.push(left + parts[++i]);
        else next.push(parts[i]);
      }
      parts = next;
    }
    return parts;
  });
}

// A string of one character a byte as people read it: UTF-8 where it is whole, else bytes in
// hexadecimal.
export function bytesText(part) {
  const bytes = Uint8Array.from(part, c => c.charCodeAt(0));
  try {
    return visible(new TextDecoder('utf-8', {fatal: true}).decode(bytes));
  } catch {
    return [...bytes]
      .map(byte => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
      .join('');
  }
}

// A number with its sign, to hundredths: "+0.25", "−1.00".
export const signed = value => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
