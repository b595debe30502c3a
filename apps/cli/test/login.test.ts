import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { Browser } from './support/browser.ts';
import { identityServer } from './support/identity-server.ts';
import { type Ran, type RunOptions, run } from './support/run.ts';
import { scriptedServer } from './support/scripted-server.ts';

// Logins at a real identity server, and what the command does with their tokens.

// An identity server, and its client's interval of one second.
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'switchyard-login-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

type Identity = Awaited<ReturnType<typeof identityServer>>;
const kept = () => join(home, '.config/switchyard/logins.json');
const completed = { id: 't', status: { state: 'TASK_STATE_COMPLETED' } };
const done = {
  GetTask: [{ result: completed }],
  SendStreamingMessage: [{ events: [{ task: completed }] }],
};
const client = ['--client-id', 'the-command'];

const flows = {
  device: ({ url }: Identity) => ({
    oauth: {
      oauth2SecurityScheme: {
        flows: {
          deviceCode: {
            deviceAuthorizationUrl: `${url}/device/auth`,
            tokenUrl: `${url}/token`,
            scopes: { agents: 'to call agents' },
          },
        },
      },
    },
  }),
  code: ({ url }: Identity) => ({
    oauth: {
      oauth2SecurityScheme: {
        flows: {
          authorizationCode: {
            authorizationUrl: `${url}/auth`,
            tokenUrl: `${url}/token`,
            scopes: { agents: 'to call agents' },
          },
        },
      },
    },
  }),
  openId: ({ url }: Identity) => ({
    company: { openIdConnectSecurityScheme: { openIdConnectUrl: `${url}/.well-known/openid-configuration` } },
  }),
};

/** An agent that wants tokens of this identity server. */
const agentFor = (identity: Identity, flow: keyof typeof flows) =>
  scriptedServer(done, { securitySchemes: flows[flow](identity) });

/** Logs in, with a person at a browser who fills in the form of the page. */
async function logIn(args: readonly string[], answer: Record<string, string> = {}, options: RunOptions = {}) {
  let visit: Promise<string> | undefined;
  const onLine = (line: string): void => {
    const [, page] = /^(?:or open the page with the code|Open this page in a browser here): (\S+)/.exec(line) ?? [];
    if (page !== undefined) visit = new Browser().visit(page, answer);
  };
  const ran = await run(['login', ...args, ...client], { home, onLine, ...options });
  await visit;
  return ran;
}

const task = (agent: string, options: RunOptions = {}, ...args: string[]): Promise<Ran> =>
  run(['task', 'get', 't', '-a', agent, ...args], { home, ...options });

/** Changes the kept login, as time would. */
async function change(next: (login: Record<string, unknown>) => object): Promise<void> {
  const [login] = JSON.parse(await readFile(kept(), 'utf8'));
  await writeFile(kept(), JSON.stringify([next(login)]));
}

async function keptToken(): Promise<string> {
  const [login] = JSON.parse(await readFile(kept(), 'utf8'));
  return login.accessToken;
}

it('logs in with a device code, and every later call of the agent has the token', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'device');
  const { code, out, err } = await logIn([agent.url]);
  expect(err).toMatch(/enter the code: [A-Z]{4}-[A-Z]{4}\n/);
  expect([code, out]).toEqual([0, expect.stringContaining(`Logged in: ${agent.url}\n`)]);
  expect(out + err).not.toContain(await keptToken());
  expect((await task(agent.url)).code).toBe(0);
  expect(agent.calls.at(-1)?.headers.authorization).toBe(`Bearer ${await keptToken()}`);
  expect(await identity.isValid(await keptToken())).toBe(true);
  expect(agent.cardHeaders.some(({ authorization }) => authorization)).toBe(false);
  expect((await stat(kept())).mode & 0o777).toBe(0o600);
  expect((await stat(join(kept(), '..'))).mode & 0o777).toBe(0o700);
});

it.each(['code', 'openId'] as const)('logs in with an authorization code and PKCE: %s', async (flow) => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, flow);
  const { code, out, err } = await logIn([agent.url, '--flow', 'code']);
  expect(err).toMatch(/Open this page in a browser here: \S*[?&]code_challenge_method=S256/);
  expect([code, out]).toEqual([0, expect.stringContaining(`Logged in: ${agent.url}\n`)]);
  expect((await task(agent.url)).code).toBe(0);
  const [, token = ''] = agent.calls.at(-1)?.headers.authorization?.split(' ') ?? [];
  expect(await identity.isValid(token)).toBe(true);
});

it.each([
  ['access_denied', 'The login was denied in the browser'],
  ['invalid_scope&error_description=not+for+you', 'said invalid_scope: not for you'],
])('takes only the answer of the browser with its own state, and says what it was: %s', async (error, expected) => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'code');
  const statuses: number[] = [];
  const onLine = async (line: string): Promise<void> => {
    const [, page] = /^Open this page in a browser here: (\S+)/.exec(line) ?? [];
    if (page === undefined) return;
    const { searchParams: asked } = new URL(page);
    const come = async (query: string) => statuses.push((await fetch(`${asked.get('redirect_uri')}?${query}`)).status);
    await come('code=stolen&state=other');
    await come(`error=${error}&state=${asked.get('state')}`);
  };
  const { code, err } = await run(['login', agent.url, ...client], { home, onLine });
  expect([code, err]).toEqual([4, expect.stringContaining(expected)]);
  await until(() => statuses.length === 2, { what: 'both answers came' });
  expect(statuses).toEqual([404, 200]);
});

it.each(['device', 'code'] as const)('asks for a token of the audience that is given, by the flow %s', async (flow) => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, flow);
  const { code } = await logIn([agent.url, '--audience', 'https://agents.example.com']);
  expect([code, [...identity.audiences]]).toEqual([0, ['https://agents.example.com']]);
});

it('says that the card has no such flow', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'code');
  const { code, err } = await run(['login', agent.url, '--flow', 'device', ...client], { home });
  expect([code, err]).toEqual([4, expect.stringContaining('names no login by the flow “device”')]);
});

it('renews a token before its end, and once after the agent has refused it', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'openId');
  const login = await logIn([agent.url]);
  expect(login.out).toContain('then it is renewed');
  const first = await keptToken();
  agent.refuse((authorization) => authorization === `Bearer ${first}`);
  expect((await task(agent.url)).code).toBe(0);
  const second = await keptToken();
  expect(second).not.toBe(first);
  expect(agent.calls.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${first}`, `Bearer ${second}`]);
  agent.refuse((authorization) => authorization === `Bearer ${second}`);
  const streamed = await run(['send', 'Hello', '--stream', '-a', agent.url], { home });
  expect([streamed.code, streamed.out]).toEqual([0, expect.stringContaining('TASK_STATE_COMPLETED')]);
  const third = await keptToken();
  expect(agent.calls.slice(-2).map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${second}`,
    `Bearer ${third}`,
  ]);
  await change((each) => ({ ...each, renewAt: 0 }));
  // Both need it at once: the identity server ends a login whose refresh token is used twice.
  const both = await Promise.all([task(agent.url), task(agent.url)]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(await keptToken()).not.toBe(third);
  expect(await identity.isValid(await keptToken())).toBe(true);
});

it('says that a login has ended, and what the identity server said', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'openId');
  await logIn([agent.url]);
  await change((each) => ({ ...each, renewAt: 0, expiresAt: 0, refreshToken: 'of-another' }));
  const { code, err } = await task(agent.url);
  expect(code).toBe(4);
  expect(err).toContain(`Your login for ${agent.url} has ended: The identity server’s endpoint`);
  expect(err).toContain('invalid_grant');
  expect(err).toContain(`Hint: Log in again: switchyard login ${agent.url}`);
  await change(({ refreshToken: _, ...each }) => each);
  expect((await task(agent.url)).err).toContain('has ended: its token expired at 1970-01-01T00:00:00.000Z');
});

it('ends logins: the identity server no longer takes their tokens, and the next call has none', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'openId');
  await logIn([agent.url]);
  const token = await keptToken();
  expect((await run(['logout', 'https://agents.invalid'], { home })).out).toBe('Logged out: there was no login\n');
  const { code, out } = await run(['logout', agent.url], { home });
  expect([code, out]).toEqual([0, `Logged out: ${agent.url} (its tokens are revoked)\n`]);
  expect(await identity.isValid(token)).toBe(false);
  await task(agent.url);
  expect(agent.calls.at(-1)?.headers.authorization).toBeUndefined();
});

it('forgets a login also if its tokens cannot be revoked', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'device');
  await logIn([agent.url]);
  expect((await run(['logout'], { home })).out).toContain('not revoked: no revocation endpoint is known');
  expect(await readFile(kept(), 'utf8')).toBe('[]\n');
});

it('sends the token to no other origin, and a credential that is given for the call wins', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'device');
  await using other = await agentFor(identity, 'device');
  await logIn([agent.url]);
  await task(other.url);
  expect(other.calls.at(-1)?.headers.authorization).toBeUndefined();
  const given = await task(agent.url, { env: { A2ACLI_BEARER: 'given' } }, '--verbose');
  expect(given.err).toContain('credential: --bearer, or A2ACLI_BEARER');
  expect(agent.calls.at(-1)?.headers.authorization).toBe('Bearer given');
  expect((await task(agent.url, {}, '--verbose')).err).toContain(`credential: the login for ${agent.url}`);
});

it('says that the person denied it', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'device');
  const { code, err } = await logIn([agent.url], { abort: 'yes' });
  expect([code, err]).toEqual([4, expect.stringContaining('Reason: The login was denied in the browser')]);
});

it('says that the code expired, and ends at Ctrl-C', async () => {
  await using identity = await identityServer({ deviceS: 2 });
  await using agent = await agentFor(identity, 'device');
  const { code, err } = await run(['login', agent.url, ...client], { home });
  expect([code, err]).toEqual([5, expect.stringContaining('The code expired before somebody confirmed it')]);
  const stop = new AbortController();
  const onLine = (line: string): void => void (line.startsWith('waiting') && stop.abort(new Error('Ctrl-C')));
  expect((await run(['login', agent.url, ...client], { home, stopped: stop.signal, onLine })).code).toBe(130);
});

it('repeats what the endpoint said', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'device');
  const { code, err } = await run(['login', agent.url, '--client-id', 'nobody'], { home });
  expect(code).toBe(4);
  expect(err).toContain(`${identity.url}/device/auth answered 401 invalid_client: client authentication failed`);
  expect(err).toContain('Hint: Check --client-id');
});

it('asks for the client id in a terminal, and otherwise says where to get it', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'device');
  const { code, err } = await run(['login', agent.url], { home });
  expect([code, err]).toEqual([2, expect.stringContaining('wants a client id, which cards do not name')]);
  const asked = await run(['login', agent.url], { home, isAtTerminal: true, stdin: 'nobody\n' });
  expect(asked.err).toContain(`Client id of this command at ${identity.url}: `);
  expect(asked.err).toContain('invalid_client');
});

it('refuses cards without a login, identity servers without TLS, and cards that anyone between could write', async () => {
  await using keys = await scriptedServer(done, { securitySchemes: { key: { apiKeySecurityScheme: { name: 'X' } } } });
  const { code, err } = await run(['login', keys.url, ...client], { home });
  expect([code, err]).toEqual([4, expect.stringMatching(/only key: a login needs[\s\S]*Hint: Set A2ACLI_API_KEY/)]);
  const plain = flows.device({ url: 'http://identity.invalid' } as Identity);
  await using open = await scriptedServer(done, { securitySchemes: plain });
  expect((await run(['login', open.url, ...client], { home })).err).toContain('must begin with https://');
  const far = await run(['login', 'http://agents.invalid', ...client], { home });
  expect([far.code, far.err]).toEqual([2, expect.stringContaining('has no TLS')]);
});

it('asks before a token goes to another host that the card names', async () => {
  await using identity = await identityServer();
  const card = join(home, 'card.json');
  const face = { url: 'https://agents.invalid', protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
  const fields = { name: 'Foreign', supportedInterfaces: [face], securitySchemes: flows.device(identity) };
  await writeFile(card, JSON.stringify(fields));
  expect((await run(['login', card, ...client], { home })).err).toContain('SWITCHYARD_ERR_CREDENTIAL_SCOPE');
  expect(identity.requests).toEqual([]);
  const allowed = ['login', card, '--credentials-for', 'agents.invalid', '--client-id', 'nobody'];
  expect((await run(allowed, { home })).err).toContain('invalid_client');
});

it('warns of a file of logins that is not whole, and logs in anew', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'device');
  await logIn([agent.url]);
  await writeFile(kept(), '[{"origins":["http');
  const { code, err } = await task(agent.url);
  expect([code, err]).toEqual([0, expect.stringContaining('logins.json is not used: it is not whole. Log in again')]);
  await logIn([agent.url]);
  expect(await identity.isValid(await keptToken())).toBe(true);
});

it('says that it cannot send the certificate that an agent wants', async () => {
  await using agent = await scriptedServer({}, { securitySchemes: { mtls: { mtlsSecurityScheme: {} } } });
  agent.refuse(() => true);
  const { code, err } = await task(agent.url);
  expect([code, err]).toEqual([4, expect.stringContaining('takes client certificates only')]);
});

it('says how to log in when an agent wants a token', async () => {
  await using identity = await identityServer();
  await using agent = await agentFor(identity, 'device');
  agent.refuse(() => true);
  const { code, err } = await task(agent.url);
  expect([code, err]).toEqual([4, expect.stringContaining(`Or log in: switchyard login ${agent.url}`)]);
});
