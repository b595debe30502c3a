import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewaySettings } from '../../src/index.ts';
import type { Binding } from '../support/bindings/outcome.ts';
import { overGrpc } from '../support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from '../support/bindings/over-http.ts';
import { call, post, type Sent, userMessage } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

// A person who can read Redis, a replica or a backup must not get the credentials for webhooks in clear text.

const headers = { 'x-api-key': 'key-of-alice-0123456789' };
const keys = [{ key: headers['x-api-key'], subject: 'alice', tenant: 'default', scopes: [] }];
const hook = { id: 'hook', url: 'https://example.com/hook' };
const secrets = { token: 'a-token', authentication: { scheme: 'Bearer', credentials: 'credentials' } };
const push = { policy: { allowHttp: false, allowHosts: [] }, publicKeys: [], allowsClear: true, asksConsent: false };

let stage: Stage;
let rpc: ReturnType<typeof overGrpc>;
let bindings: readonly Binding[];

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' }, auth: { keys } } });
  rpc = overGrpc(await grpcAddressOf(stage.url));
  bindings = [overRest(stage.url), overJsonRpc(stage.url), rpc];
});

afterAll(async () => {
  rpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

async function newTask(url = stage.url): Promise<Task> {
  const body = { message: userMessage('hello'), configuration: { returnImmediately: true } };
  return (await post<Sent>(`${url}/message:send`, body, headers)).body.task;
}

describe('With authentication and without PUSH_SECRET, the credentials for a webhook', () => {
  it('are refused in every binding, with an error that names the setting', async () => {
    const { id: taskId } = await newTask();
    for (const binding of bindings) {
      const params = { ...hook, ...secrets, taskId };
      expect(await binding.invoke({ operation: 'CreateTaskPushNotificationConfig', params, headers })).toMatchObject({
        error: { reason: 'INVALID_PARAMS', violations: ['token', 'authentication.credentials'] },
      });
    }
    const params = { taskId, pushNotificationConfig: { ...hook, token: 'a-token' } };
    const { body } = await call(stage.url, 'tasks/pushNotificationConfig/set', params, headers);
    expect(JSON.stringify(body)).toContain('PUSH_CLEAR=on');
    const listing = { operation: 'ListTaskPushNotificationConfigs', params: { taskId }, headers };
    expect(await overRest(stage.url).invoke(listing)).toEqual({ result: {} });
  });

  it('are refused with a message, which then creates no task', async () => {
    const message = userMessage('hello', { contextId: 'of-the-message' });
    const configuration = { returnImmediately: true, taskPushNotificationConfig: { ...hook, token: 'a-token' } };
    for (const binding of bindings) {
      for (const operation of ['SendMessage', 'SendStreamingMessage']) {
        expect(await binding.invoke({ operation, params: { message, configuration }, headers })).toMatchObject({
          error: { reason: 'INVALID_PARAMS', violations: ['configuration.taskPushNotificationConfig.token'] },
        });
      }
    }
    const listing = { operation: 'ListTasks', params: { contextId: 'of-the-message' }, headers };
    expect(await overRest(stage.url).invoke(listing)).toEqual({ result: {} });
  });

  it('can be left out, and the webhook is accepted', async () => {
    const { id: taskId } = await newTask();
    const params = { ...hook, authentication: { scheme: 'Bearer' }, taskId };
    for (const binding of bindings)
      expect(await binding.invoke({ operation: 'CreateTaskPushNotificationConfig', params, headers })).toMatchObject({
        result: { id: 'hook' },
      });
  });

  it.each<[string, Partial<GatewaySettings>]>([
    ['PUSH_CLEAR is on', { push, auth: { keys } }],
    ['the gateway has no authentication', {}],
  ])('are accepted if %s', async (_, settings) => {
    const url = await stage.another(settings);
    const params = { ...hook, ...secrets, taskId: (await newTask(url)).id };
    const create = { operation: 'CreateTaskPushNotificationConfig', params, headers };
    expect(await overRest(url).invoke(create)).toMatchObject({ result: { id: 'hook' } });
  });
});
