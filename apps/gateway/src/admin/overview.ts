import type { Overview } from '@switchyard/operator-api';
import { live } from './live.ts';
import { noParameters } from './parameters.ts';
import { adminRoute } from './route.ts';

/** Every open console reads it, whatever its page shows: less often than what one looks at. */
const everyMs = 5_000;

/** Whether all is well, and if not, where. */
export const overviewRoute = live(
  adminRoute(['get', '/admin/overview'], noParameters, ({ ops }): Promise<Overview> => ops.overview()),
  { everyMs },
);
