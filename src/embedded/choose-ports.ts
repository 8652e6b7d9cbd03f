/** Ports of the server on the loopback address: the ones of last time where they are free, else free ones. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { pollUntil } from './poll-until.ts';
import type { ServerPorts } from './server-record.ts';

/**
 * Below the ports that Linux, macOS and Windows give to outgoing connections: a server that is started again must find
 * its port free, and any connection of any program could have taken one of those meanwhile.
 */
const range = { from: 20_000, to: 30_000 };

/** The sockets of a killed server close a moment after its process is seen to be gone. */
const releaseMs = 2_000;

export async function choosePorts(remembered: ServerPorts | null): Promise<ServerPorts> {
  const taken = new Set<number>();
  const choose = async (wanted: number | undefined): Promise<number> => {
    const isOurs = wanted !== undefined && !taken.has(wanted) && (await pollUntil(() => isFree(wanted), releaseMs));
    const port = isOurs ? wanted : await freePort(taken);
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
    const port = randomInt(range.from, range.to);
    if (!taken.has(port) && (await isFree(port))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
