#!/usr/bin/env node
/** PROGRAM: the command line. Wires configuration, server, client, store and worker into the commands of `cli/`. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Backend, CliDependencies, Installation } from './cli/cli-dependencies.ts';
import { createLastRunFile } from './cli/last-run-file.ts';
import { runCli } from './cli/run-cli.ts';
import { defaults, names } from './contract/defaults.ts';
import { TributaryError } from './contract/failure.ts';
import type { RatesOf } from './contract/price.ts';
import { modelVendors } from './models/model-settings.ts';
import { findLimitQueue } from './models/limits/model-queues.ts';
import { findLimitNameProblem, readLimits, writeLimits } from './models/limits/limits-file.ts';
import type { Config } from './config.ts';
import { findWorkflowCode } from './workflow-code.ts';
import type { EmbeddedServer, ServerLease } from './embedded/embedded-server.ts';

// What is loaded late keeps `help` and a refused flag fast.
const dependencies: CliDependencies = {
  version: readVersion(),
  async openInstallation(env, flags) {
    const { loadConfig } = await import('./config.ts');
    return createInstallation(loadConfig(env, flags));
  },
};

const ratesOf: RatesOf = async (choice) => (await import('./models/price/price-catalogue.ts')).ratesOf(choice);

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function createInstallation(config: Config): Installation {
  const { dataDir, cluster, limits } = config;
  return {
    dataDir,
    model: config.model ?? defaults.model,
    baseUrl: config.models.baseUrls.compatible,
    keys: modelVendors.filter((vendor) => config.models.keys[vendor] !== null),
    search: config.web.search?.kind ?? null,
    async readPrices(path) {
      const file = path ?? config.pricesFile;
      if (file === null) return {};
      const { readPrices } = await import('./models/price/read-prices.ts');
      return readPrices(file);
    },
    ratesOf,
    async allowCommand(command) {
      if (cluster) return;
      const { createKnownCommands } = await import('./store/known-commands.ts');
      await createKnownCommands(dataDir).add(command);
    },
    limits: {
      path: limits.path,
      read: async ({ mayBeNew } = { mayBeNew: false }) =>
        readLimits(limits.path, { mustExist: limits.isNamed && !mayBeNew }),
      write: async (values) => writeLimits(limits.path, values),
      findNameProblem: findLimitNameProblem,
      queueOf: (name) => findLimitQueue(name, config.models),
    },
    cluster: cluster && { address: cluster.connection.address, namespace: cluster.namespace },
    hasState: () => cluster !== null || existsSync(join(dataDir, 'temporal.db')),
    open: (onProgress) => (cluster ? openCluster(config, cluster) : openEmbedded(config, onProgress)),
    async readServer() {
      const { readServerState } = await import('./embedded/join-server.ts');
      const state = await readServerState(dataDir);
      return state && { ...state.server, alive: state.alive };
    },
    async findBinary() {
      const { findTemporal } = await import('./embedded/find-temporal.ts');
      const { path, cliVersion, serverVersion } = await findTemporal();
      return { path, version: `${cliVersion} (server ${serverVersion})` };
    },
    async sizeOfState() {
      const { sizeOfState } = await import('./embedded/reset-state.ts');
      const { databaseBytes, logBytes, blobBytes, recordBytes } = await sizeOfState(dataDir);
      return { database: databaseBytes, logs: logBytes, store: blobBytes + recordBytes };
    },
    async countRecords() {
      const { createFolderRecords } = await import('./store/folder-records.ts');
      return (await createFolderRecords(dataDir).list()).length;
    },
    readStoreId: async () => (await readFile(join(dataDir, 'store-id'), 'utf8').catch(() => '')).trim() || null,
    async *replay(workflows, { verbose }) {
      const [{ replayHistories }, { installReplayRuntime }] = await Promise.all([
        import('./replay/replay-histories.ts'),
        import('./replay/install-replay-runtime.ts'),
      ]);
      installReplayRuntime(verbose ? process.stderr : null);
      yield* replayHistories(workflows, { code: findWorkflowCode() });
    },
    async reset() {
      const { resetState } = await import('./embedded/reset-state.ts');
      await resetState(dataDir);
    },
  };
}

async function openEmbedded(config: Config, onProgress: (line: string) => void): Promise<Backend> {
  const { joinServer } = await import('./embedded/join-server.ts');
  const lease = await joinServer({
    dataDir: config.dataDir,
    onProgress,
    ...(config.namespace !== null && { namespace: config.namespace }),
    ...(config.temporalCliPath !== null && { binary: config.temporalCliPath }),
  });
  try {
    return await connect(config, { address: lease.server.address }, lease.server.namespace, lease);
  } catch (error) {
    await lease.leave();
    throw error;
  }
}

async function openCluster(config: Config, cluster: NonNullable<Config['cluster']>): Promise<Backend> {
  return connect(config, cluster.connection, cluster.namespace, null);
}

async function connect(
  config: Config,
  connectionOptions: NonNullable<Config['cluster']>['connection'] | Pick<EmbeddedServer, 'address'>,
  namespace: string,
  lease: ServerLease | null,
): Promise<Backend> {
  const { dataDir, limits } = config;
  const { address } = connectionOptions;
  const [
    { Client, Connection },
    { ResearchClient },
    { createFolderStore },
    { createFolderRecords },
    { createFolderSweep },
    { applyQueueLimit, readQueueLimit },
  ] = await Promise.all([
    import('@temporalio/client'),
    import('./client/research-client.ts'),
    import('./store/folder-store.ts'),
    import('./store/folder-records.ts'),
    import('./store/folder-sweep.ts'),
    import('./client/queue-limits.ts'),
  ]);
  const connection = await Connection.connect(connectionOptions).catch((error: unknown) => {
    throw new TributaryError('SERVER_UNREACHABLE', `no Temporal server answers at ${address}`, { cause: error });
  });
  const { taskQueue } = names;
  const client = new Client({ connection, namespace });
  const store = createFolderStore(dataDir);
  const api = new ResearchClient({
    client,
    taskQueue,
    readBlob: (hash) => store.get(hash),
    records: createFolderRecords(dataDir),
    blobs: { storeId: () => store.id(), ...createFolderSweep(dataDir) },
    ratesOf,
    lastRun: createLastRunFile(join(dataDir, 'last-run')),
  });
  return {
    api,
    address,
    namespace,
    taskQueue,
    ...(lease && { uiUrl: lease.server.uiUrl }),
    async startWorker({ verbose }) {
      const { runWorker } = await import('./worker.ts');
      return runWorker({
        connection: connectionOptions,
        namespace,
        taskQueue,
        dataDir,
        models: config.models,
        limits: await readLimits(limits.path, { mustExist: limits.isNamed }),
        databaseUrl: config.databaseUrl,
        web: config.web,
        ceiling: config.ceiling,
        allowCommands: config.allowCommands,
        logFile: join(dataDir, 'logs', `worker-${process.pid}.log`),
        verbose,
      });
    },
    applyQueueLimit: async (queue, limit) => applyQueueLimit(client, queue, limit),
    readQueueLimit: async (queue) => readQueueLimit(client, queue),
    keepAlive: (onEvent) => lease?.keepAlive(onEvent),
    async close() {
      await connection.close();
      await lease?.leave();
    },
  };
}

const { stdout, stderr, stdin, env } = process;
process.exit(await runCli(process.argv.slice(2), { stdout, stderr, stdin, env, signals: process }, dependencies));
