/** What the commands need from the rest of the product. `cli.ts` wires the real ones; tests pass fakes. */
import type { ModelPrice, RatesOf } from '../contract/price.ts';
import type { RateLimit, RateLimits } from '../contract/rate-limits.ts';
import type { RecordedWorkflow, ReplayedHistory } from '../contract/replay.ts';
import type { ResearchApi } from '../client/research-api.ts';

export type ConnectionFlags = {
  readonly dataDir?: string;
  readonly address?: string;
  readonly namespace?: string;
  readonly profile?: string;
};

/** `done` rejects when the worker fails, and resolves after `stop()`. */
export type RunningWorker = { stop(): Promise<void>; readonly done: Promise<void> };

/** An open connection to the server that holds the runs. */
export type Backend = {
  readonly api: ResearchApi;
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Temporal's own page, where the server brings one. */
  readonly uiUrl?: string;
  /** Resolves when the worker polls. */
  startWorker(options: { readonly verbose: boolean }): Promise<RunningWorker>;
  /** Has the server keep the requests a minute of a queue. Rejects where it has no such limits. */
  applyQueueLimit(taskQueue: string, limit: RateLimit): Promise<void>;
  readQueueLimit(taskQueue: string): Promise<{ readonly rpm: number | null; readonly tenantRpm: number | null }>;
  /** Restarts an embedded server whenever it dies, until `close()`. Does nothing for a cluster. */
  keepAlive(onEvent: (line: string) => void): void;
  /** Closes the connection and leaves the embedded server, which stops when nobody else uses it. */
  close(): Promise<void>;
};

export type ServerFacts = {
  readonly address: string;
  readonly version: string;
  readonly pid: number;
  readonly alive: boolean;
  readonly uiUrl: string;
};

/** What the providers allow, as a file of the installation says. */
export type LimitsOfInstallation = {
  readonly path: string;
  /** `INVALID_REQUEST` lists what is wrong in the file, or that a file that was asked for is not there, unless it is to be made. */
  read(options?: { readonly mayBeNew: boolean }): Promise<RateLimits>;
  write(limits: RateLimits): Promise<void>;
  /** What is wrong with the name of a provider or a model; `null` = nothing. */
  findNameProblem(name: string): string | null;
  /** The task queue that carries its requests a minute; `null` where no key is set here. */
  queueOf(name: string): string | null;
};

/** One installation: a data folder with its embedded server, or a folder and a cluster. Nothing is started by reading it. */
export type Installation = {
  readonly dataDir: string;
  /** The model of a run that names none. */
  readonly model: string;
  /** Where `compatible/` models are served; `null` = nobody said. */
  readonly baseUrl: string | null;
  /** Vendors whose key is set. */
  readonly keys: readonly string[];
  /** The configured search service; `null` = none. */
  readonly search: string | null;
  /** The user's prices by model name, from `path` or the configured file. `INVALID_REQUEST` lists what is wrong in it. */
  readPrices(path: string | undefined): Promise<Readonly<Record<string, ModelPrice>>>;
  /** What tokens of a model cost, by the user's price where there is one; `null` = nobody knows. */
  ratesOf: RatesOf;
  readonly limits: LimitsOfInstallation;
  /** The cluster that the configuration names; `null` = the embedded server. */
  readonly cluster: { readonly address: string; readonly namespace: string } | null;
  /** Lets workers of the embedded server run this command for runs; a cluster's workers know their own mind. */
  allowCommand(command: readonly string[]): Promise<void>;
  /** Whether a run can have been started here at all; `true` for a cluster. */
  hasState(): boolean;
  /** Starts or joins the embedded server, or connects to the cluster. `SERVER_UNREACHABLE`, `SERVER_BINARY`, `SERVER_STATE_VERSION`. */
  open(onProgress: (line: string) => void): Promise<Backend>;
  readServer(): Promise<ServerFacts | null>;
  /** Path and version of the Temporal binary. `SERVER_BINARY` where there is none. */
  findBinary(): Promise<{ readonly path: string; readonly version: string }>;
  /** Bytes of the data folder, by part. */
  sizeOfState(): Promise<Readonly<Record<string, number>>>;
  /** How many ended runs are kept in the store. */
  countRecords(): Promise<number>;
  /** `null` before the first run. */
  readStoreId(): Promise<string | null>;
  /** Replays histories against the workflow code of this build, one answer for each. Needs no server and no worker. */
  replay(
    workflows: AsyncIterable<RecordedWorkflow>,
    options: { readonly verbose: boolean },
  ): AsyncIterable<ReplayedHistory>;
  /** Removes the state. Refuses while somebody uses the server. */
  reset(): Promise<void>;
};

export type CliDependencies = {
  readonly version: string;
  /** Reads the configuration; `INVALID_REQUEST` lists every problem in it. */
  openInstallation(env: Readonly<Record<string, string | undefined>>, flags: ConnectionFlags): Promise<Installation>;
};
