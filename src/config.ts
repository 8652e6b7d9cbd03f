/** Reads the configuration from flags, variables and files. Every problem is listed at once; flags win over variables, variables over files. */
import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { join, resolve } from 'node:path';
import { getProxyForUrl } from 'proxy-from-env';
import { z } from 'zod';
import type { BudgetCeiling } from './contract/budget.ts';
import { durationSchema } from './contract/duration.ts';
import { TributaryError } from './contract/failure.ts';
import { describeIssues } from './contract/invalid-input.ts';
import { baseUrlSchema, modelNameSchema } from './contract/request.ts';
import { baseUrlVariables, keyVariables, modelVendors, type ModelSettings } from './models/model-settings.ts';
import type { WebSettings } from './tools/web/create-web-tools.ts';

export type ConfigFlags = {
  readonly address?: string;
  readonly namespace?: string;
  /** A profile of the Temporal configuration file. */
  readonly profile?: string;
  readonly dataDir?: string;
};

/** How to reach a cluster that is not ours; fits the connections of the Temporal client and worker. */
export type ClusterConnection = Omit<ReturnType<typeof toClientOptions>['connectionOptions'], 'address'> & {
  readonly address: string;
};

export type Config = {
  /** `true`: a cluster was named, and the embedded server is not used. */
  readonly usesOwnCluster: boolean;
  /** `null` where the embedded server is used. */
  readonly cluster: { readonly connection: ClusterConnection; readonly namespace: string } | null;
  /** Namespace that was asked for by flag, for the embedded server; `null` = the usual one. */
  readonly namespace: string | null;
  /** Absolute path of the embedded server's state. */
  readonly dataDir: string;
  /** TEMPORAL_CLI_PATH. */
  readonly temporalCliPath: string | null;
  /** TRIBUTARY_MODEL; `null` = the default model. A key in the environment alone never chooses one. */
  readonly model: string | null;
  /** TRIBUTARY_PRICES: absolute path of the user's prices; `null` = the catalogue alone. */
  readonly pricesFile: string | null;
  /** TRIBUTARY_DATABASE_URL: what several workers share; `null` = each has its own. May hold a password. */
  readonly databaseUrl: string | null;
  /** TRIBUTARY_LIMITS, else `limits.json` of the data folder; the first must exist. */
  readonly limits: { readonly path: string; readonly isNamed: boolean };
  readonly models: ModelSettings;
  readonly web: WebSettings;
  /** TRIBUTARY_CEILING_*: the most that anybody may let a run spend here; `null` = no limit. */
  readonly ceiling: BudgetCeiling | null;
  /** Which commands a worker runs when runs name them: `known` = those of the command line over the same data folder. */
  readonly allowCommands: 'all' | 'known' | 'none';
};

/** A variable that is set to nothing is not set. */
const optionalText = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));

const url = optionalText.pipe(baseUrlSchema.optional());
const searchServices = ['tavily', 'brave', 'searxng'] as const;
const variables = <T>(names: readonly string[], schema: T) => Object.fromEntries(names.map((name) => [name, schema]));

const wholeNumber = optionalText.pipe(
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'wanted a whole number of at least 1')
    .transform(Number)
    .optional(),
);

const amount = optionalText.pipe(
  z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/, 'wanted an amount in USD such as 25 or 0.50')
    .transform(Number)
    .optional(),
);
const duration = optionalText.pipe(
  z
    .string()
    .transform((text): string | number => text)
    .pipe(durationSchema)
    .optional(),
);

const environmentSchema = z.object({
  ...variables(Object.values(keyVariables).flat(), optionalText),
  ...variables(Object.values(baseUrlVariables), url),
  TAVILY_API_KEY: optionalText,
  BRAVE_API_KEY: optionalText,
  SEARXNG_URL: url,
  TRIBUTARY_SEARCH: optionalText.pipe(z.enum(searchServices).optional()),
  TRIBUTARY_PRICES: optionalText,
  TRIBUTARY_LIMITS: optionalText,
  TRIBUTARY_DATABASE_URL: optionalText,
  TRIBUTARY_ALLOW_COMMANDS: optionalText.pipe(z.enum(['0', '1']).optional()),
  TEMPORAL_CLI_PATH: optionalText,
  TEMPORAL_ADDRESS: optionalText,
  TEMPORAL_PROFILE: optionalText,
  TRIBUTARY_MODEL: optionalText.pipe(modelNameSchema.optional()),
  TRIBUTARY_DATA_DIR: optionalText,
  TRIBUTARY_CEILING_TOKENS: wholeNumber,
  TRIBUTARY_CEILING_USD: amount,
  TRIBUTARY_CEILING_CALLS: wholeNumber,
  TRIBUTARY_CEILING_TIME: duration,
});
type Environment = z.infer<typeof environmentSchema>;

const text = z.string().min(1).optional();
const flagsSchema = z.object({
  address: z
    .string()
    .regex(/^\S+:\d{1,5}$/, 'wanted HOST:PORT')
    .optional(),
  namespace: text,
  profile: text,
  dataDir: text,
});

/**
 * The configuration of a program. A cluster is named by `--address`, TEMPORAL_ADDRESS, `--profile`, TEMPORAL_PROFILE,
 * or a default profile with an address in the Temporal configuration file; its namespace is then the profile's, else
 * `default`. Without one the embedded server is used.
 *
 * @throws TributaryError INVALID_REQUEST with one line per problem
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, flags: ConfigFlags = {}): Config {
  const problems: string[] = [];
  const environment = parse(environmentSchema, env, '', problems);
  problems.push(...findKeyProblems(env), ...findDatabaseProblems(env));
  const named = parse(flagsSchema, flags, '--', problems);
  const cluster = environment && named ? loadCluster(env, environment, named, problems) : null;
  const web = environment && readWebSettings(environment, problems);
  if (problems.length > 0 || !environment || !named || !web)
    throw new TributaryError('INVALID_REQUEST', problems.join('\n'));
  const dataDir = resolve(named.dataDir ?? environment.TRIBUTARY_DATA_DIR ?? '.tributary');
  const limits = environment.TRIBUTARY_LIMITS;
  return {
    usesOwnCluster: cluster !== null,
    cluster,
    namespace: named.namespace ?? null,
    dataDir,
    temporalCliPath: environment.TEMPORAL_CLI_PATH ?? null,
    model: environment.TRIBUTARY_MODEL ?? null,
    pricesFile: environment.TRIBUTARY_PRICES === undefined ? null : resolve(environment.TRIBUTARY_PRICES),
    limits: { path: resolve(limits ?? join(dataDir, 'limits.json')), isNamed: limits !== undefined },
    databaseUrl: environment.TRIBUTARY_DATABASE_URL ?? null,
    models: readModelSettings(environment),
    web,
    ceiling: readCeiling(environment),
    allowCommands: toAllowedCommands(environment.TRIBUTARY_ALLOW_COMMANDS, cluster !== null),
  };
}

function readCeiling(environment: Environment): BudgetCeiling | null {
  const {
    TRIBUTARY_CEILING_TOKENS: tokens,
    TRIBUTARY_CEILING_USD: usd,
    TRIBUTARY_CEILING_CALLS: toolCalls,
    TRIBUTARY_CEILING_TIME: wallClockMs,
  } = environment;
  const ceiling = {
    ...(tokens !== undefined && { tokens }),
    ...(usd !== undefined && { usd }),
    ...(toolCalls !== undefined && { toolCalls }),
    ...(wallClockMs !== undefined && { wallClockMs }),
  };
  return Object.keys(ceiling).length === 0 ? null : ceiling;
}

/** Unless it is said, nobody who merely reaches a server can have a worker run a program. */
function toAllowedCommands(said: '0' | '1' | undefined, isCluster: boolean): Config['allowCommands'] {
  if (said !== undefined) return said === '1' ? 'all' : 'none';
  return isCluster ? 'none' : 'known';
}

/** Keys travel in a header, where a space or a line break that was pasted along would break it. A value is never shown. */
function findKeyProblems(env: NodeJS.ProcessEnv): string[] {
  return [...Object.values(keyVariables).flat(), 'TAVILY_API_KEY', 'BRAVE_API_KEY']
    .filter((name) => !/^[\x21-\x7e]*$/.test(env[name] ?? ''))
    .map((name) => `${name}: wanted a key of printable characters without spaces`);
}

/** It may hold a password, so what came is not shown. */
function findDatabaseProblems({ TRIBUTARY_DATABASE_URL: address = '' }: NodeJS.ProcessEnv): string[] {
  if (address === '' || (/^postgres(ql)?:\/\//.test(address) && URL.canParse(address))) return [];
  return ['TRIBUTARY_DATABASE_URL: wanted an address such as postgresql://user:password@host:5432/database'];
}

/** The proxy that HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY name for an address; `null` = none, as for this machine itself. */
function proxyFor(address: string): string | null {
  // A proxy cannot reach a server of this machine, such as a local model.
  if (/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address).hostname)) return null;
  return getProxyForUrl(address) || null;
}

function readModelSettings(environment: Environment): ModelSettings {
  const values = environment as unknown as Readonly<Record<string, string | undefined>>;
  const byVendor = (read: (vendor: (typeof modelVendors)[number]) => string | undefined) =>
    Object.fromEntries(modelVendors.map((vendor) => [vendor, read(vendor) ?? null])) as ModelSettings['keys'];
  return {
    keys: byVendor((vendor) => keyVariables[vendor].map((name) => values[name]).find((value) => value !== undefined)),
    baseUrls: byVendor((vendor) => values[baseUrlVariables[vendor]]),
    proxyFor,
  };
}

/** The search service that is configured; of several, the one that TRIBUTARY_SEARCH names, else the first. */
function readWebSettings(environment: Environment, problems: string[]): WebSettings {
  const { TAVILY_API_KEY: tavily, BRAVE_API_KEY: brave, SEARXNG_URL: searxng, TRIBUTARY_SEARCH: wanted } = environment;
  const configured = [
    ...(tavily === undefined ? [] : [{ kind: 'tavily', url: 'https://api.tavily.com', key: tavily } as const]),
    ...(brave === undefined ? [] : [{ kind: 'brave', url: 'https://api.search.brave.com', key: brave } as const]),
    ...(searxng === undefined ? [] : [{ kind: 'searxng', url: searxng } as const]),
  ];
  const search = wanted === undefined ? configured[0] : configured.find(({ kind }) => kind === wanted);
  if (wanted !== undefined && !search) {
    const needed = { tavily: 'TAVILY_API_KEY', brave: 'BRAVE_API_KEY', searxng: 'SEARXNG_URL' }[wanted];
    problems.push(`TRIBUTARY_SEARCH: "${wanted}" needs ${needed}, which is not set`);
  }
  return { search: search ?? null, proxyFor };
}

function parse<S extends z.ZodType>(schema: S, input: unknown, prefix: string, problems: string[]): z.infer<S> | null {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  problems.push(
    ...describeIssues(parsed.error, input).map((line) => `${prefix}${line.replace(/^dataDir/, 'data-dir')}`),
  );
  return null;
}

function loadCluster(
  env: NodeJS.ProcessEnv,
  environment: Environment,
  flags: ConfigFlags,
  problems: string[],
): Config['cluster'] {
  // envconfig takes an empty variable for a value; left out, the file's stands.
  const set = Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const profileName = flags.profile ?? environment.TEMPORAL_PROFILE;
  try {
    const profile = loadClientConfigProfile({
      overrideEnvVars: Object.fromEntries(set),
      ...(profileName !== undefined && { profile: profileName }),
    });
    const address = flags.address ?? profile.address ?? (profileName === undefined ? null : 'localhost:7233');
    if (address === null) return null;
    const { connectionOptions } = toClientOptions(profile);
    return {
      connection: { ...connectionOptions, address },
      namespace: flags.namespace ?? profile.namespace ?? 'default',
    };
  } catch (error) {
    problems.push(`Temporal configuration: ${(error as Error).message}`);
    return null;
  }
}
