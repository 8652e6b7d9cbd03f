/** What the API is given: the runs, and how it is set up. */
import type { ResearchApi } from '../client/research-api.ts';
import type { ModelPrice } from '../contract/price.ts';
import type { PageFiles } from './page-files.ts';

/** What a request may name only where the operator says so: it reaches files, addresses or programs of the workers. */
export const acceptables = ['scripted', 'base-url', 'webhook', 'command'] as const;
export type Acceptable = (typeof acceptables)[number];

export type WebToken = {
  /** Who acts with it, as it is recorded. */
  readonly label: string;
  readonly token: string;
};

export type WebOptions = {
  /** The runs, for whoever acts. */
  apiFor(who: string): ResearchApi;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly version: string;
  /** Absolute paths of folders of documents by the name that a request gives. */
  readonly corpora: Readonly<Record<string, string>>;
  /** The model of a request that names none. */
  readonly defaultModel: string;
  /** The operator's prices by model name; they are part of every run of these models. */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /** None: whoever reaches the server may use it, so it must be reached from this machine alone. */
  readonly tokens: readonly WebToken[];
  readonly readOnly: boolean;
  /** Names or addresses, without a port, that a browser may have in its address bar. `*` = any address, but no other name. */
  readonly allowedHosts: readonly string[];
  readonly accept: readonly Acceptable[];
  /** Paths of this machine that no answer shows, and what stands there instead. */
  readonly privatePaths?: Readonly<Record<string, string>>;
  readonly temporalUrl: string | null;
  /** The page; `null` = the API alone. */
  readonly page: PageFiles | null;
  /** Ends every stream in good order when it fires. */
  readonly closing?: AbortSignal;
  /** Told of what is not the caller's doing. */
  readonly onError?: (error: unknown) => void;
  /** Of streams; for tests. */
  readonly keepAliveMs?: number;
};
