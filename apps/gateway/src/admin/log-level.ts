import { type LogLevelReading, logLevelReadingSchema, logLevelSchema } from '@switchyard/operator-api';
import type { Ops } from '@switchyard/store';
import { noParameters } from './parameters.ts';
import { type AdminRoute, adminOrder, adminRoute } from './route.ts';

/** How much all processes log, for a while. */
export const logLevelRoutes: readonly AdminRoute[] = [
  adminRoute(['get', '/admin/log-level'], noParameters, ({ ops }) => reading(ops)),
  adminOrder('/admin/log-level', logLevelSchema, async ({ ops }, { parameters: { level, forMs } }) => {
    await ops.logLevels.set(level, forMs);
    return reading(ops);
  }),
];

async function reading({ logLevels }: Pick<Ops, 'logLevels'>): Promise<LogLevelReading> {
  return logLevelReadingSchema.parse(await logLevels.read());
}
