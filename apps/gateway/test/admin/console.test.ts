import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveConsole } from '@switchyard/gateway';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminStage, key, openAdminStage } from './support.ts';

const admin = { host: '127.0.0.1', port: 0, key, hasConsole: true };

describe("the console on the operators' port", () => {
  let stage: AdminStage;
  beforeAll(async () => {
    stage = await openAdminStage({}, { admin });
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  const clientsOf = (path: string, headers: Record<string, string> = { authorization: `Bearer ${key}` }) =>
    fetch(`${stage.adminUrl}/a2a${path}`, { headers });

  it('serves its files without a key, with a policy that allows requests to this gateway only', async () => {
    const response = await fetch(`${stage.adminUrl}/console/tasks`);
    expect([200, 503]).toContain(response.status);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await fetch(`${stage.adminUrl}/console/assets/none.js`)).status).toBe(404);
    expect((await fetch(`${stage.adminUrl}/console/assets/..%2f..%2fpackage.json`)).status).not.toBe(200);
  });

  it('says how to build it if it is not built', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'console-'));
    const server = express().use('/console', serveConsole({ folder })).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/console/`);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('node scripts/console/build.ts');
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it('tells operators their name and permissions', async () => {
    const { body } = await stage.ask('/admin/me');
    expect(body).toEqual({ name: 'operator', may: 'all', canTry: true, version: expect.any(String) });
  });

  it("serves the clients' paths below /a2a to operators only", async () => {
    expect((await clientsOf('/agents')).status).toBe(200);
    expect((await clientsOf('/agents/echo/tasks')).status).toBe(200);
    expect((await clientsOf('/agents/no-such/tasks')).status).toBe(404);
    expect((await clientsOf('/agents', {})).status).toBe(401);
    expect((await fetch(`${stage.adminUrl}/agents`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(404);
  });

  it("is linked from the clients' port", async () => {
    const response = await fetch(`${stage.url}/console`, { redirect: 'manual' });
    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe(`${stage.adminUrl}/console/`);
  });
});

describe('a gateway without a console', () => {
  it('says how to enable it', async () => {
    await using stage = await openAdminStage();
    const response = await fetch(`${stage.url}/console`);
    expect(response.status).toBe(404);
    expect(JSON.stringify(await response.json())).toContain('CONSOLE');
    expect((await stage.ask('/console/')).status).toBe(404);
    expect((await stage.ask('/a2a/agents')).status).toBe(404);
  });
});

describe('a gateway whose clients need keys', () => {
  it("does not accept an operator's key below /a2a", async () => {
    await using stage = await openAdminStage({}, { admin, auth: { keys: [] } });
    expect((await stage.ask('/admin/me')).body).toMatchObject({ canTry: false });
    expect((await stage.ask('/a2a/agents')).status).toBe(401);
  });
});
