// Says so when the page stands under a path that its server does not know: then no file of it can
// be loaded, and this is therefore part of the page itself.
(() => {
  const plain = path => path.replace(/\/+$/, '');
  const known = plain(
    new URL(/** @type {any} */ (window).gradio_config?.root || '/', location.href).pathname,
  );
  const path = plain(location.pathname);
  if (path === known) return;
  const note = document.createElement('p');
  note.setAttribute('role', 'alert');
  note.style.cssText = 'margin: 0; padding: 0.75rem 1rem; border: 3px solid; font: 1rem sans-serif';
  note.textContent =
    `This page stands under ${path || '/'}, but its server takes it to stand under ${known || '/'}, so that most of ` +
    `it does not load. Start the server with --root-path ${path || '/'}.`;
  document.body.prepend(note);
})();
