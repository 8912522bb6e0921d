// Part of the page itself, before Gradio lays it out: names the visit, and opens the tab and the
// view of the link from the first frame on, so that no other one is seen before.
(() => {
  const query = new URLSearchParams(location.search);
  const state = history.state ?? {};
  const visit = state.visit ?? /** @type {any} */ (window).lensDrawnName();
  const isReload = Boolean(state.visit);
  if (!isReload) history.replaceState({...state, visit}, '');
  const places = [
    'tab',
    'view',
    'choose',
    'once',
    'see',
    'press',
    'start',
    'present',
    'embed',
    '__theme',
  ];
  const others = [...query.keys()].filter(name => !places.includes(name));
  // Whether the page will show something else than it was sent with.
  /** @type {any} */ (window).gptlensArriving = others.length > 0 || isReload;

  const config = /** @type {any} */ (window).gradio_config;
  const components = config?.components ?? [];
  const find = test => components.find(({type, props}) => test(type, props ?? {}));
  const same = (item, other) =>
    String(item ?? '').toLowerCase() === String(other ?? '').toLowerCase();
  // The children of a component in the layout.
  const within = (id, node = config?.layout) => {
    if (!node) return [];
    if (node.id === id) return node.children ?? [];
    return (node.children ?? []).flatMap(child => within(id, child));
  };
  const idsIn = nodes => nodes.flatMap(node => [node.id, ...idsIn(node.children ?? [])]);

  const wanted = (query.get('embed') ?? query.get('tab') ?? '').replace(' ', '-');
  const row = find((type, props) => type === 'tabs' && props.elem_id === 'tabs');
  const tab = find((type, props) => type === 'tabitem' && same(props.id, wanted));
  if (!row || !tab) return;
  row.props.selected = tab.props.id;
  const inside = new Set(idsIn(within(tab.id)));
  const view = components.find(
    ({id, type, props}) =>
      inside.has(id) && type === 'tabitem' && same(props.label, query.get('view')),
  );
  const views = components.find(({id, type}) => inside.has(id) && type === 'tabs');
  if (view && views) views.props.selected = view.props.id;
})();
