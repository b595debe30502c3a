import { AddressPolicy } from '@switchyard/outgoing';
import type { A2AError } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { patience } from '../../../../tests/support/until.ts';
import type { Admission } from '../../src/admission/admission.ts';
import { WebhookConsent } from '../../src/operations/push-backend.ts';
import { defaultResourceSettings } from '../../src/settings/limit-settings.ts';
import type { Binding, Outcome } from '../support/bindings/outcome.ts';
import { overGrpc } from '../support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from '../support/bindings/over-http.ts';
import { call, post, submit, userMessage } from '../support/client.ts';
import { ConsentWebhook } from '../support/consent-webhook.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

// A webhook URL makes this deployment post to it: with PUSH_VERIFY the webhook is asked for its consent first.

const push = {
  policy: { allowHttp: true, allowHosts: ['127.0.0.0/8'] },
  publicKeys: [],
  allowsClear: false,
  asksConsent: true,
};
let stage: Stage;
let webhook: ConsentWebhook;
let rpc: ReturnType<typeof overGrpc>;
let bindings: readonly Binding[];
let taskId: string;
/** Each host is asked at most once a second: each request takes another one. */
let hosts = 1;
const nextHost = (): string => `127.0.0.${++hosts}`;

beforeAll(async () => {
  webhook = await new ConsentWebhook({
    '/agrees': (res, token) => res.end(token),
    '/agrees-with-newline': (res, token) => res.end(`${token}\n`),
    '/other': (res) => res.end('hello'),
    '/echoes-more': (res, token) => res.end(`you asked for ${token}`),
    '/created': (res, token) => res.writeHead(201).end(token),
    '/empty': (res) => res.end(),
    '/redirects': (res, token) => res.writeHead(302, { location: `/agrees?validationToken=${token}` }).end(),
    '/endless': (res, token) => res.end(token + ' '.repeat(100_000)),
    '/breaks': (res) => res.destroy(),
    '/silent': () => undefined,
    '/many': () => undefined,
  }).open();
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' }, push } });
  rpc = overGrpc(await grpcAddressOf(stage.url));
  bindings = [overRest(stage.url), overJsonRpc(stage.url), rpc];
  taskId = (await submit(stage.url)).id;
});

afterAll(async () => {
  rpc[Symbol.dispose]();
  await Promise.all([stage[Symbol.asyncDispose](), webhook[Symbol.asyncDispose]()]);
});

const credentials = { token: 'CANARY', authentication: { scheme: 'Bearer', credentials: 'CANARY' } };

function register(url: string, binding = bindings[0], task = taskId): Promise<Outcome | undefined> {
  const params = { taskId: task, id: 'hook', url, ...credentials };
  return Promise.resolve(binding?.invoke({ operation: 'CreateTaskPushNotificationConfig', params }));
}

const refused = (field = 'url') => ({ error: { reason: 'INVALID_PARAMS', violations: [field] } });

describe('With PUSH_VERIFY, a webhook', () => {
  it('is stored once it has answered with the token, whatever its URL contains', async () => {
    const url = webhook.at('/agrees?key=a%20b&x=%2F#part', nextHost());
    expect(await register(url)).toMatchObject({ result: { id: 'hook', url } });
    const [asked] = webhook.requests.filter((each) => each.url.startsWith('/agrees?key'));
    expect(asked).toMatchObject({
      method: 'GET',
      url: expect.stringMatching(/^\/agrees\?key=a%20b&x=%2F&validationToken=[\w-]{43}$/),
    });
    expect(asked?.headers).not.toContain('CANARY');
    expect(asked?.headers).toMatch(/connection close/i);
    expect(await register(webhook.at('/agrees-with-newline', nextHost()))).toMatchObject({ result: { id: 'hook' } });
  });

  it.each(['other', 'echoes-more', 'created', 'empty', 'redirects', 'endless', 'breaks', 'absent'])(
    'that does not answer with the token (%s) gets a single GET, and is not stored',
    async (path) => {
      const before = await stored();
      const from = webhook.requests.length;
      expect(await register(webhook.at(`/${path}`, nextHost()))).toMatchObject(refused());
      expect(webhook.requests.slice(from).map(({ method }) => method)).toEqual(['GET']);
      expect(await stored()).toEqual(before);
    },
  );

  it('is refused alike in all bindings, and with a message, which then creates no task', async () => {
    for (const binding of bindings) {
      expect(await register(webhook.at('/other', nextHost()), binding)).toMatchObject(refused());
      for (const operation of ['SendMessage', 'SendStreamingMessage']) {
        const message = userMessage('hello', { contextId: 'inline' });
        const configuration = { taskPushNotificationConfig: { url: webhook.at('/other', nextHost()) } };
        expect(await binding.invoke({ operation, params: { message, configuration } })).toMatchObject(
          refused('configuration.taskPushNotificationConfig.url'),
        );
      }
    }
    const listing = { operation: 'ListTasks', params: { contextId: 'inline' } };
    expect(await bindings[0]?.invoke(listing)).toEqual({ result: {} });
  });

  it('is asked for registrations by A2A 0.3, too', async () => {
    const before = await stored();
    const config = (): object => ({ id: 'old', url: webhook.at('/other', nextHost()) });
    const overRpc = await call<object>(stage.url, 'tasks/pushNotificationConfig/set', {
      taskId,
      pushNotificationConfig: config(),
    });
    expect(overRpc.body).toMatchObject({ error: { code: -32602 } });
    const path = `/v1/tasks/${taskId}/pushNotificationConfigs`;
    const body = { name: `tasks/${taskId}/pushNotificationConfigs/old`, pushNotificationConfig: config() };
    expect((await post(stage.url + path, body, { 'a2a-version': '0.3' })).status).toBe(400);
    expect(await stored()).toEqual(before);
  });

  it('that never answers delays its caller by 3 s, and no other host; a caller has a share of such waits', async () => {
    const began = Date.now();
    const waiting = register(webhook.at('/silent', nextHost()));
    const many = registerAtMany();
    expect(await register(webhook.at('/agrees?meanwhile', nextHost()))).toMatchObject({ result: { id: 'hook' } });
    expect(await waiting).toMatchObject(refused());
    expect(Date.now() - began).toBeGreaterThanOrEqual(2_900);
    expect(Date.now() - began).toBeLessThan(10_000 * patience);
    expect(webhook.of('/silent')).toEqual(['GET']);
    const reasons = (await many).map((outcome) => outcome && 'error' in outcome && outcome.error.reason);
    expect(reasons.toSorted()).toEqual(['INVALID_PARAMS', 'INVALID_PARAMS', 'RATE_LIMITED', 'RATE_LIMITED']);
    expect(webhook.of('/many')).toEqual(['GET', 'GET']);
  });

  it('gets no request for an unknown task', async () => {
    const outcome = await register(webhook.at('/never', nextHost()), bindings[0], 'no-such-task');
    expect(outcome).toMatchObject({ error: { reason: 'TASK_NOT_FOUND' } });
    expect(webhook.of('/never')).toEqual([]);
  });

  it('is asked once when it is registered several times', async () => {
    const url = webhook.at('/agrees?shared', nextHost());
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => register(url, bindings[i % 3])));
    expect(outcomes.map((outcome) => outcome && 'result' in outcome)).toEqual(outcomes.map(() => true));
    expect(await register(url)).toMatchObject({ result: { id: 'hook' } });
    expect(webhook.of('/agrees?shared')).toHaveLength(1);
  });

  it('is asked one request at a time and one a second, for all URLs of its host', async () => {
    const host = nextHost();
    const from = webhook.requests.length;
    const began = Date.now();
    const outcomes: (Outcome | undefined)[] = [];
    const asked = () => webhook.requests.slice(from);
    while (asked().length < 2) {
      const urls = Array.from({ length: 30 }, (_, i) => webhook.at(`/flood/${i}`, host));
      outcomes.push(...(await Promise.all(urls.map((url, i) => register(url, bindings[i % 3])))));
    }
    // On a busy machine the first one may arrive late, but none early.
    const early = asked().filter(({ at }, i) => at - began < i * 1_000 - 50);
    expect(early).toEqual([]);
    const reasons = outcomes.map((outcome) => (outcome && 'error' in outcome ? outcome.error.reason : 'stored'));
    expect(reasons.filter((reason) => reason === 'INVALID_PARAMS')).toHaveLength(asked().length);
    expect(new Set(reasons)).toEqual(new Set(['INVALID_PARAMS', 'RATE_LIMITED']));
  });

  it('is asked for one tenant while another keeps asking; at most ten times a second for all tenants', async () => {
    const asking = new WebhookConsent(new AddressPolicy(push.policy));
    onTestFinished(() => asking.stop());
    const host = nextHost();
    const ask = (tenant: string, n = 0): Promise<string> =>
      asking.require(webhook.at(`/other?tenant=${tenant}&n=${n}`, host), 'url', callOf(tenant)).then(
        () => 'agreed',
        (error: A2AError) => error.code,
      );
    const eager = await Promise.all(Array.from({ length: 5 }, (_, n) => ask('eager', n)));
    expect(eager.filter((code) => code === 'RateLimited')).toHaveLength(4);
    const others = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(`other-${n}`)));
    expect(others.filter((code) => code === 'InvalidParams')).toHaveLength(9);
    expect(others.filter((code) => code === 'RateLimited')).toHaveLength(3);
  });
});

/** A call of a tenant with an unused share. */
function callOf(tenant: string): Parameters<WebhookConsent['require']>[2] {
  const principal = { tenant, subject: 'alice', scopes: [] };
  const hold = () => ({ [Symbol.dispose]: () => undefined });
  return { admission: { principal, hold } as unknown as Admission };
}

/** Registers four webhooks at a gateway where a caller may have two requests waiting. */
async function registerAtMany(): Promise<(Outcome | undefined)[]> {
  const held = { ...defaultResourceSettings.held, perPrincipal: 2 };
  const crowded = overRest(await stage.another({ push, resources: { ...defaultResourceSettings, held } }));
  return Promise.all(Array.from({ length: 4 }, () => register(webhook.at('/many', nextHost()), crowded)));
}

async function stored(): Promise<Outcome | undefined> {
  return bindings[0]?.invoke({ operation: 'ListTaskPushNotificationConfigs', params: { taskId } });
}
