// Stands in a script of Gradio's front end, in place of what looks through the whole page for each
// value that an event takes, sets or shows, and through all events for each component of the page.

let pathsOfNodes = new Map(); // id -> places of a node's ancestors and of itself among siblings

// The node of a component in the tree of the page; null for none. root: of the tree, {id, children}.
export function findNode(root, id) {
  const at = path => path?.reduce((node, place) => node?.children?.[place], root);
  const node = at(pathsOfNodes.get(id));
  if (node?.id === id) return node;
  pathsOfNodes = pathsOf(root);
  return at(pathsOfNodes.get(id)) ?? null;
}

function pathsOf(root) {
  const paths = new Map();
  const note = (node, path) => {
    paths.set(node.id, path);
    node.children?.forEach((child, place) => note(child, [...path, place]));
  };
  note(root, []);
  return paths;
}

const namesOfEvents = new WeakMap(); // events -> {of: how many, byId: id -> names}

// The names of the events that a component triggers, of each event the first. events: {targets},
// of each its id and the event's name; the same list for all components.
export function attachedEvents(events, id) {
  let names = namesOfEvents.get(events);
  if (names?.of !== events.length) {
    names = {of: events.length, byId: namesById(events)};
    namesOfEvents.set(events, names);
  }
  return [...(names.byId.get(id) ?? [])];
}

function namesById(events) {
  const byId = new Map();
  for (const {targets} of events) {
    const seen = new Set();
    for (const [id, name] of targets) {
      if (!seen.has(id) && name) byId.set(id, [...(byId.get(id) ?? []), name]);
      seen.add(id);
    }
  }
  return byId;
}
