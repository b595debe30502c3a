import { type LogLevelReading, logLevelReadingSchema, logLevelSchema } from '@switchyard/operator-api';
import type { Ops } from '@switchyard/operators';
import { A2AError } from '@switchyard/protocol';
import { live } from './live.ts';
import { loadPath, operatorName } from './operators.ts';
import {
  agentParameters,
  drainParameters,
  interruptedParameters,
  loadParameters,
  noParameters,
  pageParameters,
  workerParameters,
} from './parameters.ts';
import { type AdminRoute, adminAction, adminRoute, found, listRoute, notFound } from './route.ts';

/** Whether this gateway can serve requests, and if not, why. */
export const healthRoute = adminRoute(['get', '/admin/health'], noParameters, ({ readiness }) => readiness());

/** Agents and their queues. Messages of a paused agent are accepted, and wait. */
export const agentRoutes = [
  live(listRoute(['/admin/agents', agentParameters], 'agents', ({ ops }, query) => ops.listAgents(query))),
  adminRoute(['get', loadPath], loadParameters, ({ ops }, { parameters }) => ops.agents.load(parameters.agents)),
  adminRoute(['get', '/admin/agents/:id/tenants'], noParameters, async ({ ops }, { id }) => ({
    tenants: found(await ops.agents.tenants(id), 'agent', id),
  })),
  adminAction(['post', '/admin/agents/:id\\:pause'], async ({ ops }, { id }) =>
    found(await ops.agents.pause(id), 'agent', id),
  ),
  adminAction(['post', '/admin/agents/:id\\:resume'], async ({ ops }, { id }) =>
    found(await ops.agents.resume(id), 'agent', id),
  ),
  adminAction(['delete', '/admin/agents/:id'], async ({ ops }, { id }) => {
    const verdict = await ops.agents.forget(id);
    if (verdict === 'unknown') throw notFound('agent', id);
    if (verdict === 'running') throw new A2AError('Conflict', 'A worker runs the agent: stop it first');
    if (verdict === 'waiting') throw new A2AError('Conflict', 'Messages wait for the agent: cancel their tasks first');
    if (verdict === 'not-archived') throw new A2AError('Conflict', notArchived);
    return undefined;
  }),
];

const notArchived =
  'The agent has tasks that have not ended, or are not copied to the archive yet: cancel them, and try again in a few minutes';

/** Workers, from their reports. A draining worker starts no turns, but is still announced. */
export const workerRoutes = [
  live(listRoute(['/admin/workers', workerParameters], 'workers', ({ ops }, query) => ops.listWorkers(query))),
  adminRoute(['post', '/admin/workers/:id\\:drain'], drainParameters, async ({ ops }, { id, parameters, operator }) => {
    if (!(await ops.workers.drain(id, { ...parameters, by: operatorName(operator) }))) throw notFound('worker', id);
    return workerNamed(ops, id);
  }),
  adminAction(['post', '/admin/workers/:id\\:undrain'], async ({ ops }, { id }) => {
    if (!(await ops.workers.undrain(id))) throw notFound('worker', id);
    return workerNamed(ops, id);
  }),
];

async function workerNamed(ops: Ops, id: string): Promise<object> {
  const worker = (await ops.workers.list()).find((each) => each.id === id);
  return found(worker, 'worker', id);
}

/** Running turns, and stuck tasks. */
export const turnRoutes = [
  live(listRoute(['/admin/turns', pageParameters], 'turns', ({ ops }, query) => ops.listTurns(query))),
  live(listRoute(['/admin/stuck', pageParameters], 'tasks', ({ ops }, query) => ops.listStuck(query))),
  live(
    listRoute(['/admin/interrupted', interruptedParameters], 'tasks', ({ ops }, query) => ops.listInterrupted(query)),
  ),
];

/** The temporary log level of all processes. */
export const logLevelRoutes: readonly AdminRoute[] = [
  adminRoute(['get', '/admin/log-level'], noParameters, ({ ops }) => reading(ops)),
  adminRoute(['post', '/admin/log-level'], logLevelSchema, async ({ ops }, { parameters: { level, forMs } }) => {
    await ops.logLevels.set(level, forMs);
    return reading(ops);
  }),
];

async function reading({ logLevels }: Pick<Ops, 'logLevels'>): Promise<LogLevelReading> {
  return logLevelReadingSchema.parse(await logLevels.read());
}
