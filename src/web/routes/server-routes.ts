/** The server itself: how it is set up, and whether there is somebody to work. */
import { failureCodeOf } from '../../contract/failure.ts';
import type { Health, ServerConfig } from '../../contract/web.ts';
import { apiRoute, type ApiRoute } from '../api-route.ts';
import { toModelName } from '../hide-paths.ts';

const config = apiRoute({
  method: 'get',
  path: '/api/config',
  summary: 'Say how the server is set up',
  answer: { status: 200, what: 'Version, corpora by name, default model' },
  async handle(_, kit) {
    const { version, readOnly, corpora, defaultModel, temporalUrl } = kit.options;
    return kit.json({
      version,
      readOnly,
      corpora: Object.keys(corpora),
      defaultModel: toModelName(defaultModel),
      temporalUrl,
    } satisfies ServerConfig);
  },
});

const health = apiRoute({
  method: 'get',
  path: '/api/health',
  summary: 'Say whether the server of the runs answers, and whether a worker polls',
  answer: { status: 200, what: 'Server, namespace and task queue' },
  async handle({ context }, kit) {
    const { namespace, taskQueue } = kit.options;
    try {
      const hasWorker = await kit.api(context).hasWorker({ signal: context.req.raw.signal });
      return kit.json({ server: 'ok', namespace, taskQueue, hasWorker } satisfies Health);
    } catch (error) {
      if (failureCodeOf(error) !== 'SERVER_UNREACHABLE') throw error;
      return kit.json({ server: 'unreachable', namespace, taskQueue, hasWorker: false } satisfies Health);
    }
  },
});

export const serverRoutes: readonly ApiRoute[] = [config, health];
