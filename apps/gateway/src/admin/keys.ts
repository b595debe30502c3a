import { keyDraft, keyParameters } from '@switchyard/operator-api';
import { pageParameters } from './parameters.ts';
import { adminAction, adminRoute, found, listRoute } from './route.ts';

/** API keys of clients. Of a new one the answer has `key`, for its owner: it is not shown again. */
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
      about: ({ id, tenant, subject, scopes }) => ({ object: id, forTenant: tenant, forSubject: subject, scopes }),
    },
  ),
  adminAction(
    ['delete', '/admin/keys/:id'],
    async ({ credentials }, { id }) => found(await credentials.revoke(id), 'key', id),
    { what: 'key-revoke' },
  ),
];
