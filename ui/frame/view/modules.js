// Loads a module; where the server does not answer, as soon as it does again. Part of the page itself, since a module
// that does this could not be loaded either.
/** @type {any} */ (window).lensModule = async address => {
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
