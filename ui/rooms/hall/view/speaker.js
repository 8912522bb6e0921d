// The speaker's window, as the hall's page knows it: it is told the scene, and turns the talk from
// there. Both speak over a channel of this browser tab, so that a reload of either loses nothing.
import {isAway} from '../../../shared/view/connection.js';
import {keep, kept} from '../../../shared/view/kept.js';
import {drawnName} from '../../../shared/view/plain.js';

const KEY = 'gptlens-speaker';

let channel = null;
let latest = null;

function connect(turn) {
  const name = kept(KEY) ?? `${KEY}-${drawnName()}`;
  keep(KEY, name);
  if (channel) return name;
  channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({data}) => {
    if (data.kind === 'ready') channel.postMessage(latest);
    else if (data.kind === 'turn') turn(data.by);
  });
  return name;
}

// Tells the window what the hall sees, if there is one. `tour` is null once the talk is over.
export function tellSpeaker(tour, turn) {
  const {title, at, steps} = tour ?? {title: '', at: -1, steps: []};
  const {say, notes} = steps[at] ?? {say: '', notes: ''};
  latest = {
    kind: 'scene',
    title,
    at,
    of: steps.length,
    say,
    notes,
    next: steps[at + 1]?.say ?? '',
    away: isAway(),
  };
  if (!channel && !kept(KEY)) return;
  connect(turn);
  channel.postMessage(latest);
}

// Opens the window; false where the browser does not allow it.
export function openSpeaker(turn) {
  const name = connect(turn);
  return Boolean(
    window.open(new URL('./speaker.html', import.meta.url), name, 'popup,width=860,height=620'),
  );
}
