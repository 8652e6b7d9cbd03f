/** Builds the page into dist/page: hashed files, nothing inline, nothing from elsewhere. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('src/page'),
  base: '/',
  publicDir: false,
  build: {
    outDir: at('dist/page'),
    emptyOutDir: true,
    target: 'es2023',
    // An inlined file would be a data: address, which the content security policy keeps out of scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Making a schema changes nothing: those that the page does not check with are left out, and their library with them.
      treeshake: { manualPureFunctions: ['z'] },
      onLog(level, log, tell) {
        // A mark for servers that render components; none does here.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') tell(level, log);
      },
    },
  },
});
