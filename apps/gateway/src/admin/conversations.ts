import type { AdminRoute } from './route.ts';

/** Conversations of any principal. */
export const conversationRoutes: readonly AdminRoute[] = [];
