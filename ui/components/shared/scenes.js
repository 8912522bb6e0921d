// The list of scenes of a talk that is being written. Pure functions.

// The scene of a view: what its link sets, its place, and the sentence and selection that all views share.
export function sceneOf({tab, view, model, sentence, chosen}, settings) {
  const own = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null && value !== undefined));
  const shared = {model, text: sentence, ...chosen};
  const all = {tab, view, ...shared, ...own};
  if ('prompt' in own && own.prompt === all.text) delete all.text; // one text in two places is said once
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(all))
    if (value !== '' && value !== null && value !== undefined) query.set(name, value);
  return {link: query.toString(), point: '', say: '', notes: ''};
}

// The scenes with one moved up or down.
export function moved(scenes, at, by) {
  const to = at + by;
  if (to < 0 || to >= scenes.length) return scenes;
  const all = [...scenes];
  [all[at], all[to]] = [all[to], all[at]];
  return all;
}

// What a link shows, in a few words: "attention · Heads · text “The fox…”".
export function inWords(link) {
  const {tab = '', view, ...settings} = Object.fromEntries(new URLSearchParams(link));
  const short = value => (value.length > 28 ? `${value.slice(0, 27)}…` : value);
  const told = Object.entries(settings).map(([name, value]) => `${name} ${short(value)}`);
  return [tab, view, ...told].filter(Boolean).join(' · ');
}
