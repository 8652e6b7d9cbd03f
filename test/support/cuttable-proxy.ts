/** A TCP relay to a server that can be cut and mended, for what happens while the server is away. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export type CuttableProxy = {
  readonly address: string;
  /** Closes every connection and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  close(): Promise<void>;
};

export async function openCuttableProxy(target: string): Promise<CuttableProxy> {
  const [host, port] = target.split(':') as [string, string];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const listen = (at: number) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((incoming) => {
        const outgoing = connect(Number(port), host);
        keep(incoming);
        keep(outgoing);
        incoming.pipe(outgoing).pipe(incoming);
      });
      server.on('error', reject);
      server.listen(at, '127.0.0.1', () => resolve(server));
    });
  let server: Server | null = await listen(0);
  const own = (server.address() as AddressInfo).port;
  const stop = async () => {
    const closing = server;
    server = null;
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => (closing ? closing.close(() => resolve()) : resolve()));
  };
  return {
    address: `127.0.0.1:${own}`,
    cut: stop,
    mend: async () => void (server = await listen(own)),
    close: stop,
  };
}
