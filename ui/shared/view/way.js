// Links: where one leads, and what of it makes a visit another one.

// Where a link leads, and what it presses there. The address bar follows the tab and the view, so
// they begin no visit.
export const WAY = ['tab', 'view', 'choose', 'once', 'see', 'press', 'start', 'hide'];

// Whether something was kept on this visit: the history entry keeps the visit's name over a reload,
// a link opened anew has none.
export const isSameVisit = kept =>
  kept?.visit !== undefined && kept.visit === globalThis.history?.state?.visit;
