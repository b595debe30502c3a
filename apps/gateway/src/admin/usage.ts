import type { Usage } from '@switchyard/operator-api';
import { live } from './live.ts';
import { usageParameters } from './parameters.ts';
import { adminRoute } from './route.ts';

/** What was used of models, by day. */
export const usageRoutes = [
  live(
    adminRoute(
      ['get', '/admin/usage'],
      usageParameters,
      ({ ops }, { parameters }): Promise<Usage> => ops.usage.summary(parameters),
    ),
    { everyMs: 10_000 },
  ),
];
