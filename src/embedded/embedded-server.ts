/** The embedded Temporal server as its users see it. It is a process of its own that several programs share. */

export type EmbeddedServer = {
  /** `127.0.0.1:PORT` of the gRPC front end. */
  readonly address: string;
  readonly namespace: string;
  /** The server's own web page. */
  readonly uiUrl: string;
  readonly pid: number;
  /** Version of the Temporal server, `1.32.0`; not that of the CLI that carries it. */
  readonly version: string;
  /** Absolute path of the folder that holds its state. */
  readonly dataDir: string;
};

/** One program's claim on the server: as long as it is held and its process lives, the server is not stopped. */
export type ServerLease = {
  /** The server as it is now: after a restart it has another pid, and another address only if a stranger took its port. */
  readonly server: EmbeddedServer;
  /** Whether this program started the server or found it running. */
  readonly how: 'started' | 'shared';
  /** Starts the server again, at the same address, whenever it dies; until `leave`. Calls after the first do nothing. */
  keepAlive(onEvent?: (line: string) => void): void;
  /** Gives the claim back, and stops the server when no other living program holds one. May be called again. */
  leave(): Promise<void>;
};
