// The text file of a tour or a talk: blocks with a line "?tab=generate&prompt=..." or the whole
// address that "Copy link" gives, perhaps "@ selector" of what to frame, sentences for the hall,
// and lines "> ..." with notes for the speaker. `ui/server/talks.py` reads the same.

const LINK = /^(https?:\/\/[^?]*)?\?/;

// Raises an error with a sentence for a text without steps.
export function parseTour(text) {
  let title = 'A tour';
  const steps = [];
  for (const block of text.replaceAll('\r', '').split(/\n[ \t]*\n/)) {
    const lines = block.split('\n').map(line => line.trim());
    const link = lines.find(line => LINK.test(line));
    const point = lines.find(line => line.startsWith('@'));
    const say = lines.filter(line => line && line !== link && !'?@>'.includes(line[0])).join(' ');
    const noted = lines.filter(line => line.startsWith('>')).map(line => line.slice(1).trim());
    if (link)
      steps.push({
        link: link.replace(LINK, ''),
        point: point?.slice(1).trim() ?? '',
        say,
        notes: noted.join(' '),
      });
    else if (say && !steps.length) title = say.replace(/^#\s*/, '');
  }
  if (!steps.length)
    throw new Error(
      'This file has no steps. A step is a line like ?tab=generate and a sentence below it.',
    );
  return {title, steps, at: 0, own: text};
}
