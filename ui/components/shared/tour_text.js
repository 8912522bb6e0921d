// The text file of a tour or a talk: blocks with a line "?tab=generate&prompt=...", perhaps "@ selector" of what to
// frame, sentences for the hall, and lines "> ..." with notes for the speaker. `ui/server/talks.py` reads the same.

// Raises an error with a sentence for a text that is no tour.
export function parseTour(text) {
  let title = 'A tour';
  const steps = [];
  for (const block of text.replaceAll('\r', '').split(/\n[ \t]*\n/)) {
    const lines = block.split('\n').map(line => line.trim());
    const link = lines.find(line => line.startsWith('?'));
    const point = lines.find(line => line.startsWith('@'));
    const say = lines.filter(line => line && !'?@>'.includes(line[0])).join(' ');
    const noted = lines.filter(line => line.startsWith('>')).map(line => line.slice(1).trim());
    if (link) steps.push({link: link.slice(1), point: point?.slice(1).trim() ?? '', say, notes: noted.join(' ')});
    else if (say && !steps.length) title = say.replace(/^#\s*/, '');
  }
  if (!steps.length)
    throw new Error('This file has no steps. A step is a line like ?tab=generate and a sentence below it.');
  return {title, steps, at: 0, own: text};
}

// A sentence as one line of the file, which no mark at its beginning turns into something else.
const line = text =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[?@>]+\s*/, '');

export function tourText({title, steps}) {
  const blocks = steps.map(({link, point, say, notes}) =>
    [`?${link}`, point && `@ ${point}`, line(say), line(notes ?? '') && `> ${line(notes)}`].filter(Boolean).join('\n'),
  );
  return `${[`# ${line(title) || 'A talk'}`, ...blocks].join('\n\n')}\n`;
}
