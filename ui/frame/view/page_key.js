// Names this page to the server with a key that nobody can guess, so that who learns the name of
// its session cannot act in it. Part of the page itself: it stands before Gradio's first request.
(() => {
  const page = /** @type {any} */ (window);
  if (page.lensDrawnName) return;
  page.lensDrawnName = () =>
    [...crypto.getRandomValues(new Uint8Array(24))].map(byte => (byte % 36).toString(36)).join('');
  const key = page.lensDrawnName();
  const fetchPlainly = window.fetch;
  window.fetch = (input, init) => {
    const request = input instanceof Request ? input : null;
    const address = new URL(request?.url ?? String(input), location.href);
    if (address.origin !== location.origin || !address.pathname.includes('/gradio_api/'))
      return fetchPlainly(input, init);
    const headers = new Headers(init?.headers ?? request?.headers);
    headers.set('x-lens-page', key);
    return fetchPlainly(input, {...init, headers});
  };
})();
