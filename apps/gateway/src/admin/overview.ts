import type { NearLimit, Overview } from '@switchyard/operator-api';
import { isNear } from '@switchyard/operators';
import type { ServedDeployment } from '../http/serve-health.ts';
import { fullVolume } from './files.ts';
import { live } from './live.ts';
import { noParameters } from './parameters.ts';
import { adminRoute } from './route.ts';

/** Every open console reads it, whatever its page shows: less often than what one looks at. */
const everyMs = 5_000;

/** Whether all is well, and if not, where. */
export const overviewRoute = live(
  adminRoute(
    ['get', '/admin/overview'],
    noParameters,
    async ({ ops, streams, files, deployments }): Promise<Overview> => {
      const [read, volume] = await Promise.all([ops.overview(), fullVolume(files)]);
      const overview = { ...read, ...(deployments && { deployments: deployments.map(state) }) };
      const ofStreams: NearLimit = { limit: 'streams', setting: 'MAX_STREAMS', of: 'this gateway', ...streams() };
      return { ...overview, limits: [...read.limits, ...[ofStreams].filter(isNear), ...volume] };
    },
  ),
  { everyMs },
);

function state({ number, isAnswering }: ServedDeployment): ServedDeployment {
  return { number, isAnswering };
}
