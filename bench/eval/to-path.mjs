/** Path in the corpus of a source's URL. */
export const toPath = (url) => decodeURIComponent(url.replace(/^corpus:/, ''));
