import { listRoute } from './list-route.ts';

/** What runs, and what should but does not. */
export const turnRoutes = [
  listRoute('/admin/turns', 'turns', (ops, query) => ops.listTurns(query)),
  listRoute('/admin/stuck', 'tasks', (ops, query) => ops.listStuck(query)),
];
