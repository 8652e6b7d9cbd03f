/** Ports of the server on the loopback address: the ones of last time where they are free, else free ones. */
import { createServer } from 'node:net';
import type { ServerPorts } from './server-record.ts';

export async function choosePorts(remembered: ServerPorts | null): Promise<ServerPorts> {
  const taken = new Set<number>();
  const choose = async (wanted: number | undefined): Promise<number> => {
    const port = (wanted !== undefined && !taken.has(wanted) && (await tryPort(wanted))) || (await freePort(taken));
    taken.add(port);
    return port;
  };
  return {
    grpc: await choose(remembered?.grpc),
    ui: await choose(remembered?.ui),
    http: await choose(remembered?.http),
  };
}

async function freePort(taken: ReadonlySet<number>): Promise<number> {
  for (;;) {
    const port = await tryPort(0);
    if (port !== null && !taken.has(port)) return port;
  }
}

/** The port, `0` replaced by what the system chose; `null` where it is in use. */
function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(null));
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}
