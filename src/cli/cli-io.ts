/** The edges of a CLI process, as values: a test passes its own. */

export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

export type CliIo = {
  /** The answer, and nothing else. */
  readonly stdout: OutputStream;
  /** Everything else. */
  readonly stderr: OutputStream;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Emits `SIGINT`, `SIGTERM` and `SIGHUP`, as `process` does. */
  readonly signals: Pick<NodeJS.EventEmitter, 'on' | 'off'>;
};
