/** Serves a built page on 127.0.0.1 as the product does: every address is the page, under the same content security policy. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
export const policy =
  "default-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

export async function servePage(folder) {
  const server = createServer((request, response) => {
    const path = join(folder, normalize(new URL(request.url, 'http://page').pathname));
    const file =
      path.startsWith(folder) && existsSync(path) && statSync(path).isFile() ? path : join(folder, 'index.html');
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    response.setHeader('content-security-policy', policy);
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}
