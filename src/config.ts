/** Reads the configuration from flags, variables and files. Every problem is listed at once; flags win over variables, variables over files. */
import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { resolve } from 'node:path';
import { z } from 'zod';
import { TributaryError } from './contract/failure.ts';
import { describeIssues } from './contract/invalid-input.ts';
import { modelNameSchema } from './contract/request.ts';

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
};

/** A variable that is set to nothing is not set. */
const optionalText = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));

const environmentSchema = z.object({
  TEMPORAL_CLI_PATH: optionalText,
  TEMPORAL_ADDRESS: optionalText,
  TEMPORAL_PROFILE: optionalText,
  TRIBUTARY_MODEL: optionalText.pipe(modelNameSchema.optional()),
  TRIBUTARY_DATA_DIR: optionalText,
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
  const named = parse(flagsSchema, flags, '--', problems);
  const cluster = environment && named ? loadCluster(env, environment, named, problems) : null;
  if (problems.length > 0 || !environment || !named) throw new TributaryError('INVALID_REQUEST', problems.join('\n'));
  return {
    usesOwnCluster: cluster !== null,
    cluster,
    namespace: named.namespace ?? null,
    dataDir: resolve(named.dataDir ?? environment.TRIBUTARY_DATA_DIR ?? '.tributary'),
    temporalCliPath: environment.TEMPORAL_CLI_PATH ?? null,
    model: environment.TRIBUTARY_MODEL ?? null,
  };
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
