// Loads a module; where the server does not answer, as soon as it does again. Part of the page
// itself, since a module that does this could not be loaded either.
const lensAddress = name => {
  const {gradio_config: config, lensBase} = /** @type {any} */ (window);
  return `${config?.root ?? ''}${lensBase}/${name}`;
};

// A text beside the modules; "" where it is not to be had.
/** @type {any} */ (window).lensText = name =>
  fetch(lensAddress(name)).then(
    answer => (answer.ok ? answer.text() : ''),
    () => '',
  );

/** @type {any} */ (window).lensModule = async name => {
  const address = lensAddress(name);
  for (let failed = 0; ;) {
    try {
      return await import(address);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // it was loaded, and is wrong
      const isThere = await fetch(address, {method: 'HEAD', cache: 'no-store'}).then(
        answer => answer.ok,
        () => false,
      );
      if (isThere && ++failed > 1) throw error;
      await new Promise(done => setTimeout(done, 500));
    }
  }
};
