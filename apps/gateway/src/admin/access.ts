import { keyDraft, keyParameters, type Me } from '@switchyard/operator-api';
import { version } from '@switchyard/schema';
import { operatorName } from './operators.ts';
import { auditParameters, noParameters, pageParameters } from './parameters.ts';
import { type AdminRoute, adminAction, adminRoute, found, listRoute, requirePageToken } from './route.ts';

/**
 * The caller's identity. An operator's key is not a client's: if clients need keys, it cannot be used to try agents.
 */
export const meRoutes: readonly AdminRoute[] = [
  adminRoute(
    ['get', '/admin/me'],
    noParameters,
    async ({ clientsNeedKeys, deployments, fileChanges }, { operator }): Promise<Me> => {
      const canTry = !clientsNeedKeys || operator.tenant !== undefined;
      const numbers = deployments && { deployments: deployments.map(({ number }) => number) };
      const changes = fileChanges();
      return {
        name: operatorName(operator),
        may: operator.may,
        canTry,
        version,
        ...numbers,
        ...(changes !== undefined && { deploymentsFileChanges: changes }),
      };
    },
  ),
];

/** API keys of clients. Only the answer that creates a key has it in `key`. */
export const keyRoutes = [
  listRoute(['/admin/keys', pageParameters], 'keys', ({ credentials }, query) => credentials.page(query)),
  adminRoute(
    ['post', '/admin/keys'],
    keyParameters,
    async ({ credentials }, { parameters }) => {
      const { key, credential } = await credentials.create(keyDraft(parameters));
      return { key, ...credential };
    },
    {
      what: 'key-create',
      details: ({ id, tenant, subject, scopes }) => ({ object: id, forTenant: tenant, forSubject: subject, scopes }),
    },
  ),
  adminAction(
    ['delete', '/admin/keys/:id'],
    async ({ credentials }, { id }) => found(await credentials.revoke(id), 'key', id),
    { what: 'key-revoke' },
  ),
];

/** The audit trail, latest first. */
export const auditRoute = adminRoute(['get', '/admin/audit'], auditParameters, async ({ ops }, { parameters }) => {
  const { since, ...query } = parameters;
  const { items, nextPageToken } = await requirePageToken(() => ops.listAudit({ ...query, sinceMs: since }));
  return { events: items, nextPageToken };
});
