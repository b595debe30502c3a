import type { Credential } from '@switchyard/access';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, get } from '../support/client.ts';
import { type AdminStage, fieldsOf, openAdminStage } from './support.ts';

interface MadeKey extends Credential {
  readonly key: string;
}

let stage: AdminStage;

beforeAll(async () => {
  stage = await openAdminStage({}, { auth: { keys: [] } });
});

afterAll(() => stage[Symbol.asyncDispose]());

const agents = async (key: string) => (await get(`${stage.url}/agents`, { 'x-api-key': key })).status;

describe('operators', () => {
  it('create keys, list them without their secrets, and revoke them', async () => {
    const made = await stage.ask<MadeKey>('/admin/keys?subject=ada&tenant=acme&scopes=send+read&days=7', 'POST');
    const { key, ...credential } = made.body;
    expect(made.status).toBe(200);
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect(credential).toMatchObject({ subject: 'ada', tenant: 'acme', scopes: ['send', 'read'] });
    expect(Date.parse(credential.expiresAt ?? '') - Date.now()).toBeCloseTo(7 * 86_400_000, -5);
    expect(await agents(key)).toBe(200);

    const { body } = await stage.ask<{ keys: Credential[] }>('/admin/keys');
    expect(body).toEqual({ keys: [credential], totalSize: 1, nextPageToken: '' });

    const revoked = await stage.ask<Credential>(`/admin/keys/${credential.id}`, 'DELETE');
    expect(revoked.body).toEqual({ ...credential, revokedAt: expect.any(String) });
    await expect.poll(() => agents(key)).toBe(401);
    expect(stage.log.join('\n')).not.toContain(key.slice(-43));
  });

  it('get an error that names each wrong parameter of a key', async () => {
    const wrong = await stage.ask<ErrorBody>('/admin/keys?scopes=%22&days=0&color=red', 'POST');
    expect(wrong.status).toBe(400);
    expect(fieldsOf(wrong).sort()).toEqual(['color', 'days', 'scopes.0', 'subject']);
    expect((await stage.ask('/admin/keys/0123456789ab', 'DELETE')).status).toBe(404);
  });
});
