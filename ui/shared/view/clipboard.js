// The clipboard.

// Copies a text; returns whether it worked. Falls back to a selection on insecure pages, which lack
// the clipboard API.
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

// Copies a text; gives a sentence on what was done.
export const copying = async (text, done = 'Copied.') =>
  (await copyText(text)) ? done : 'The browser does not allow copying here.';
