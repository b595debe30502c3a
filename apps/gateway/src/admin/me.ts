import type { Me } from '@switchyard/operator-api';
import { version } from '@switchyard/store';
import { operatorName } from './operators.ts';
import { noParameters } from './parameters.ts';
import { type AdminRoute, adminRoute } from './route.ts';

/** Who asks. The key of an operator is no client's: where clients need one, agents cannot be tried with it. */
export const meRoutes: readonly AdminRoute[] = [
  adminRoute(['get', '/admin/me'], noParameters, async ({ clientsNeedKeys }, { operator }): Promise<Me> => {
    const canTry = !clientsNeedKeys || operator.tenant !== undefined;
    return { name: operatorName(operator), may: operator.may, canTry, version };
  }),
];
