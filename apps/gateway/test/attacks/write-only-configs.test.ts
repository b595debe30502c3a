import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Binding } from '../support/bindings/outcome.ts';
import { overGrpc } from '../support/bindings/over-grpc.ts';
import { overJsonRpc, overRest } from '../support/bindings/over-http.ts';
import { call, get, post, submit } from '../support/client.ts';
import { grpcAddressOf } from '../support/grpc-address.ts';
import { openStage, type Stage } from '../support/stage.ts';

let stage: Stage;
let rpc: ReturnType<typeof overGrpc>;
let bindings: readonly Binding[];

beforeAll(async () => {
  stage = await openStage({ gateway: { grpc: { port: 0, publicAddress: 'auto' } } });
  rpc = overGrpc(await grpcAddressOf(stage.url));
  bindings = [overRest(stage.url), overJsonRpc(stage.url), rpc];
});

afterAll(async () => {
  rpc[Symbol.dispose]();
  await stage[Symbol.asyncDispose]();
});

describe('The credentials for a webhook', () => {
  it('are in no answer of any operation and binding, though they are stored', async () => {
    const { id: taskId } = await submit(stage.url);
    const config = {
      id: 'hook',
      url: 'https://example.com/hook',
      token: 'CANARY-of-the-token',
      authentication: { scheme: 'Bearer', credentials: 'CANARY-of-the-credentials' },
    };
    const answers: unknown[] = [];
    for (const binding of bindings) {
      answers.push(
        await binding.invoke({ operation: 'CreateTaskPushNotificationConfig', params: { ...config, taskId } }),
        await binding.invoke({ operation: 'GetTaskPushNotificationConfig', params: { taskId, id: 'hook' } }),
        await binding.invoke({ operation: 'ListTaskPushNotificationConfigs', params: { taskId } }),
      );
    }
    expect(answers).not.toContainEqual(expect.objectContaining({ error: expect.anything() }));
    expect(answers[1]).toMatchObject({ result: { url: config.url, authentication: { scheme: 'Bearer' } } });
    answers.push(
      (await call(stage.url, 'tasks/pushNotificationConfig/get', { id: taskId, pushNotificationConfigId: 'hook' }))
        .body,
      (await call(stage.url, 'tasks/pushNotificationConfig/list', { id: taskId })).body,
      (await get(`${stage.url}/v1/tasks/${taskId}/pushNotificationConfigs`, { 'a2a-version': '0.3' })).body,
      (
        await post(
          `${stage.url}/v1/tasks/${taskId}/pushNotificationConfigs`,
          { name: `tasks/${taskId}/pushNotificationConfigs/h2`, pushNotificationConfig: { ...config, id: 'h2' } },
          { 'a2a-version': '0.3' },
        )
      ).body,
    );
    expect(JSON.stringify(answers)).not.toContain('CANARY');
  });
});
