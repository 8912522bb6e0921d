// A name for this browser tab that a reload keeps, so that its text comes back; another link is another visit.
import {drawnName} from './plain.js';

const KEY = 'gptlens-visit';

export function visit() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) || 'null');
    if (kept && kept.search === location.search) return kept.name;
    const name = drawnName();
    sessionStorage.setItem(KEY, JSON.stringify({name, search: location.search}));
    return name;
  } catch {
    return ''; // a private window that keeps nothing
  }
}
