import type { NearLimit, Overview } from '@switchyard/operator-api';
import { isNear } from '@switchyard/operators';
import { live } from './live.ts';
import { noParameters } from './parameters.ts';
import { adminRoute } from './route.ts';

/** Every open console reads it, whatever its page shows: less often than what one looks at. */
const everyMs = 5_000;

/** Whether all is well, and if not, where. */
export const overviewRoute = live(
  adminRoute(['get', '/admin/overview'], noParameters, async ({ ops, streams }): Promise<Overview> => {
    const overview = await ops.overview();
    const ofStreams: NearLimit = { limit: 'streams', setting: 'MAX_STREAMS', of: 'this gateway', ...streams() };
    return isNear(ofStreams) ? { ...overview, limits: [...overview.limits, ofStreams] } : overview;
  }),
  { everyMs },
);
