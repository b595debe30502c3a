import { listRoute } from './list-route.ts';
import { found } from './not-found.ts';
import { adminAction } from './route.ts';

/** Agents and their queues. A paused agent's messages are accepted, and wait. */
export const agentRoutes = [
  listRoute('/admin/agents', 'agents', (ops, query) => ops.listAgents(query)),
  adminAction(['post', '/admin/agents/:id\\:pause'], async (ops, id) => found(await ops.agents.pause(id), 'agent', id)),
  adminAction(['post', '/admin/agents/:id\\:resume'], async (ops, id) =>
    found(await ops.agents.resume(id), 'agent', id),
  ),
];
