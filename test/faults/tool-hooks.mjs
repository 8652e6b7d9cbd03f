/** Module hooks: who imports the product's toolbox gets the one of the drills, which wraps it. */
const wrapper = new URL('./fault-toolbox.mjs', import.meta.url).href;

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const isWanted = found.url.endsWith('/dist/tools/open-toolbox.js') && context.parentURL !== wrapper;
  return isWanted ? { ...found, url: wrapper } : found;
}
