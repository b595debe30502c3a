import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import type { Turn } from '@switchyard/agent';
import { runTurn } from '@switchyard/agent/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { OAuth2Tokens } from '../src/auth/oauth2-tokens.ts';
import { learnTokenUrl, tokensOf } from '../src/auth/tokens-of.ts';
import { type RemoteAuth, type RemoteSettings, remoteExecutor } from '../src/index.ts';
import { identityServer } from './identity-server.ts';

// Agents that want a token, which a real identity server issues.

let identity: Awaited<ReturnType<typeof identityServer>>;
beforeAll(async () => {
  identity = await identityServer();
});
afterAll(() => identity[Symbol.asyncDispose]());

const client = { clientId: 'switchyard', clientSecret: 'a secret/with+signs' };
const oauth2 = (more: object = {}): RemoteAuth => ({
  oauth2: { tokenUrl: identity.tokenUrl, ...client, scopes: ['agents'], ...more },
});

async function serving(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An agent that answers everybody with a valid token. */
async function guardedAgent(isValid: (token: string) => Promise<boolean>) {
  const tokens: string[] = [];
  const server = await serving(async (request, response) => {
    const { host, authorization = '' } = request.headers;
    const face = { url: `http://${host}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET')
      return void response.end(
        JSON.stringify({
          name: 'Guarded',
          description: 'g',
          version: '1',
          supportedInterfaces: [face],
          capabilities: {},
        }),
      );
    const { id } = Object(await json(request));
    const token = authorization.replace('Bearer ', '');
    tokens.push(token);
    if (!(await isValid(token))) return void response.writeHead(401).end('{}');
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_AGENT', parts: [{ text: 'done' }] };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { message } }));
  });
  return { ...server, tokens };
}

const turnsAt = (cardUrl: string, auth: RemoteAuth, more: Partial<RemoteSettings> = {}) =>
  agentThat(remoteExecutor({ cardUrl, auth, pollEveryMs: 20, retryBudgetMs: 1_000, ...more } as RemoteSettings));

const jsonType = { 'content-type': 'application/json' };
const isIssued = async (token: string): Promise<boolean> => (await identity.find(token)) !== undefined;

describe('a token of OAuth 2', () => {
  it('is fetched once for all turns that begin at the same time, with its scopes', async () => {
    await using agent = await guardedAgent(isIssued);
    const before = identity.requests();
    const executor = turnsAt(agent.url, oauth2());
    const ended = await Promise.all(Array.from({ length: 5 }, () => runTurn(executor, 'Hello')));
    expect(ended.map(({ task }) => task.status.state)).toEqual(Array(5).fill('TASK_STATE_COMPLETED'));
    expect([identity.requests() - before, new Set(agent.tokens).size]).toEqual([1, 1]);
    expect(await identity.find(agent.tokens[0] ?? '')).toMatchObject({ scope: 'agents', clientId: 'switchyard' });
  });

  it('is fetched again once after the agent has refused it, and the turn goes on', async () => {
    await using agent = await guardedAgent(isIssued);
    const executor = turnsAt(agent.url, oauth2({ clientAuth: 'basic' }));
    await runTurn(executor, 'Hello');
    await (await identity.find(agent.tokens[0] ?? ''))?.destroy();
    const before = identity.requests();
    expect((await runTurn(executor, 'Hello')).task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(identity.requests() - before).toBe(1);
    expect(new Set(agent.tokens).size).toBe(2);
  });

  it('that the agent always refuses is fetched only once more, and the turn fails', async () => {
    await using agent = await guardedAgent(async () => false);
    const before = identity.requests();
    expect((await runTurn(turnsAt(agent.url, oauth2()), 'Hello')).task.status.state).toBe('TASK_STATE_FAILED');
    expect([identity.requests() - before, agent.tokens.length]).toEqual([2, 2]);
  });

  it('is that of the caller, where the agent must know for whom it works', async () => {
    await using agent = await guardedAgent(isIssued);
    const auth = oauth2({ scopes: [], subjectToken: () => 'token-of-ada' });
    expect((await runTurn(turnsAt(agent.url, auth), 'Hello')).task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(identity.subjectOf(agent.tokens[0] ?? '')).toBe('token-of-ada');
  });

  it.each([
    [
      'the secret is wrong',
      { clientSecret: 'wrong-secret' },
      'refused',
      '401 invalid_client: client authentication failed',
    ],
    ['the caller is unknown', { subjectToken: () => 'unknown' }, 'refused', '400 invalid_grant'],
  ])('is not issued if %s: the reason has what the endpoint said, without the secret', async (_, more, kind, words) => {
    const error = await tokensOf({ auth: oauth2(more) })
      ?.token({} as Turn)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind, message: expect.stringContaining(words) });
    expect(String(error)).toContain(`its token endpoint ${identity.tokenUrl}`);
    expect(String(error)).not.toContain('wrong-secret');
  });

  it.each<[string, RequestListener, string, string]>([
    ['answers 503', (_, response) => response.writeHead(503).end('busy'), 'unreachable', '503'],
    ['answers with a page', (_, response) => response.end('<html>'), 'refused', 'it answered 200'],
    ['answers 403 with a page', (_, response) => response.writeHead(403).end('<html>'), 'refused', '403'],
    ['redirects', (_, response) => response.writeHead(302, { location: 'http://a.test/' }).end(), 'refused', '302'],
    [
      'answers without end',
      (_, response) => void response.writeHead(200, jsonType).write('{"a":"'.padEnd(300_000, 'x')),
      'refused',
      'longer than',
    ],
    [
      'repeats the secret',
      (_, response) =>
        response
          .writeHead(400, jsonType)
          .end(JSON.stringify({ error: 'invalid_grant', error_description: `no ${client.clientSecret}\u001b[31m` })),
      'refused',
      'no [hidden] [31m',
    ],
  ])('is not had from an endpoint that %s', async (_, listener, kind, words) => {
    await using endpoint = await serving(listener);
    const auth = { oauth2: { tokenUrl: `${endpoint.url}/token`, ...client } };
    const error = await tokensOf({ auth })
      ?.token(undefined)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind, message: expect.stringContaining(words) });
    expect(String(error)).not.toContain(client.clientSecret);
  });

  it('is asked for its scopes, its audience and its resource', async () => {
    let asked = '';
    await using endpoint = await serving(async (request, response) => {
      asked = await text(request);
      response
        .writeHead(200, jsonType)
        .end(JSON.stringify({ access_token: 't', token_type: 'Bearer', expires_in: 60 }));
    });
    const resource = 'https://agents.example.com/';
    const more = { scopes: ['a', 'b'], audience: 'agents', resource };
    const auth = { oauth2: { tokenUrl: endpoint.url, ...client, ...more } };
    expect(await tokensOf({ auth })?.token(undefined)).toBe('t');
    const fields = { grant_type: 'client_credentials', scope: 'a b', audience: 'agents', resource };
    expect(Object.fromEntries(new URLSearchParams(asked))).toEqual(fields);
  });

  it('is asked for only with TLS, except on this machine', async () => {
    const auth = { oauth2: { tokenUrl: 'http://identity.example.com/token', ...client } };
    await expect(tokensOf({ auth })?.token(undefined)).rejects.toThrow('must begin with https://');
  });

  it('comes from the endpoint that the card names only if its origin is trusted', async () => {
    const flows = { clientCredentials: { tokenUrl: identity.tokenUrl, scopes: {} } };
    const card = { securitySchemes: { oauth: { oauth2SecurityScheme: { flows } } } } as never;
    const of = async (trustedOrigins: string[]) => {
      const settings = { auth: { oauth2: client }, trustedOrigins };
      learnTokenUrl(settings, card);
      return tokensOf(settings)?.token(undefined);
    };
    await expect(of([])).rejects.toThrow('it has no token endpoint');
    await expect(of(['https://other.example.com'])).rejects.toThrow('it has no token endpoint');
    expect(await isIssued((await of([new URL(identity.tokenUrl).origin])) ?? '')).toBe(true);
  });

  it('is kept until shortly before its end, and a failure for a second', async () => {
    let count = 0;
    const issuing = (expiresInMs: number | undefined) =>
      new OAuth2Tokens({}, async () => ({ token: `token-${++count}`, expiresInMs }));
    const long = issuing(600_000);
    expect([await long.token(undefined), await long.token(undefined)]).toEqual(['token-1', 'token-1']);
    const ended = issuing(0);
    expect([await ended.token(undefined), await ended.token(undefined)]).toEqual(['token-2', 'token-3']);
    let asked = 0;
    const failing = new OAuth2Tokens({}, async () => Promise.reject(new Error(`no ${++asked}`)));
    await expect(failing.token(undefined)).rejects.toThrow('no 1');
    await expect(failing.token(undefined)).rejects.toThrow('no 1');
  });
});

describe('a token in a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-token-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is read again when another program has written a new one, also within a turn', async () => {
    const tokenFile = join(folder, 'token');
    let valid = 'one';
    await using agent = await guardedAgent(async (token) => token === valid);
    const executor = turnsAt(agent.url, { tokenFile });
    await writeFile(tokenFile, 'one\n');
    await runTurn(executor, 'Hello');
    valid = 'second';
    await writeFile(tokenFile, 'second\n');
    expect((await runTurn(executor, 'Hello')).task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(agent.tokens).toEqual(['one', 'second']);
  });

  it.each([
    ['is not there', undefined, 'ENOENT'],
    ['is empty', '\n', 'it has no token'],
    ['has several lines', 'a\nb\n', 'it has no token'],
  ])('that %s is waited for, and the reason names the file', async (_, text, words) => {
    const tokenFile = join(folder, 'other');
    if (text !== undefined) await writeFile(tokenFile, text);
    await expect(tokensOf({ auth: { tokenFile } })?.token(undefined)).rejects.toThrow(
      `its token file ${tokenFile} cannot be used: ${words}`,
    );
  });
});
