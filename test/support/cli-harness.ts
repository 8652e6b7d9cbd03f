/** The CLI in this process: streams that remember, signals on demand, and a backend in memory. */
import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Backend, CliDependencies, Installation } from '../../src/cli/cli-dependencies.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { createFakeResearch, type FakeResearch } from './fake-research-api.ts';

type StreamOptions = { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

export class MemoryStream extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  /** Writes past this many fail as a closed pipe does. */
  closeAfter = Infinity;
  private writes = 0;
  constructor(options: StreamOptions = {}) {
    super();
    this.isTTY = options.isTTY ?? false;
    this.columns = options.columns;
    this.rows = options.rows;
  }
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.writes += 1;
    if (this.writes > this.closeAfter) return done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    this.text += chunk.toString('utf8');
    done();
  }
  get lines(): string[] {
    return stripVTControlCharacters(this.text).split('\n').filter(Boolean);
  }
}

export type CliOptions = {
  readonly env?: Record<string, string>;
  readonly stdout?: StreamOptions;
  readonly stderr?: StreamOptions;
  readonly stdinIsTty?: boolean;
  readonly research?: FakeResearch;
  readonly installation?: Partial<Installation>;
  readonly backend?: Partial<Backend>;
  readonly openError?: Error;
};

export type CliCall = {
  readonly exit: Promise<number>;
  readonly stdout: MemoryStream;
  readonly stderr: MemoryStream;
  readonly stdin: PassThrough;
  readonly research: FakeResearch;
  /** How often each thing happened. */
  readonly counts: { opened: number; closed: number; workersStarted: number; workersStopped: number; resets: number };
  kill(signal: 'SIGINT' | 'SIGTERM'): void;
  failWorker(error: Error): void;
};

export function startCli(argv: readonly string[], options: CliOptions = {}): CliCall {
  const stdout = new MemoryStream(options.stdout);
  const stderr = new MemoryStream(options.stderr);
  const stdin = Object.assign(new PassThrough(), { isTTY: options.stdinIsTty ?? false });
  const signals = new EventEmitter();
  const research = options.research ?? createFakeResearch();
  const counts = { opened: 0, closed: 0, workersStarted: 0, workersStopped: 0, resets: 0 };
  let failWorker: (error: Error) => void = () => undefined;

  const backend: Backend = {
    api: research.api,
    address: '127.0.0.1:7233',
    namespace: 'tributary',
    taskQueue: 'tributary',
    uiUrl: 'http://127.0.0.1:8233',
    async startWorker() {
      counts.workersStarted += 1;
      let settle: () => void = () => undefined;
      const done = new Promise<void>((resolve, reject) => {
        settle = resolve;
        failWorker = reject;
      });
      return {
        done,
        async stop() {
          counts.workersStopped += 1;
          settle();
        },
      };
    },
    applyQueueLimit: async () => undefined,
    readQueueLimit: async () => ({ rpm: null, tenantRpm: null }),
    ...options.backend,
    keepAlive: () => undefined,
    async close() {
      counts.closed += 1;
    },
  };
  const installation: Installation = {
    dataDir: '/data/.tributary',
    model: 'extractive',
    baseUrl: null,
    keys: [],
    search: null,
    readPrices: async () => ({}),
    ratesOf: () => ({ input: 0, output: 0 }),
    allowCommand: async () => undefined,
    limits: {
      path: '/data/.tributary/limits.json',
      read: async () => ({}),
      write: async () => undefined,
      findNameProblem: () => null,
      queueOf: () => null,
    },
    cluster: null,
    hasState: () => true,
    async open() {
      counts.opened += 1;
      if (options.openError) throw options.openError;
      return backend;
    },
    readServer: async () => null,
    findBinary: async () => ({ path: '/opt/temporal', version: '1.9.1' }),
    sizeOfState: async () => ({ database: 1_500_000, logs: 0, store: 0 }),
    countRecords: async () => 0,
    readStoreId: async () => 'store_1',
    async *replay() {},
    async reset() {
      counts.resets += 1;
    },
    ...options.installation,
  };
  const dependencies: CliDependencies = { version: '1.2.3', openInstallation: async () => installation };
  const env = { LANG: 'en_US.UTF-8', ...options.env };
  return {
    exit: runCli(argv, { stdout, stderr, stdin, env, signals }, dependencies),
    stdout,
    stderr,
    stdin,
    research,
    counts,
    kill: (signal) => void signals.emit(signal),
    failWorker: (error) => failWorker(error),
  };
}

/** Runs a call to its end. */
export async function callCli(argv: readonly string[], options: CliOptions = {}) {
  const call = startCli(argv, options);
  return { ...call, exitCode: await call.exit };
}

/** Polls until `check` holds; the test's own time-out ends it otherwise. */
export async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 5));
}
