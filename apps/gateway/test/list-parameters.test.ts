import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type ErrorBody, get, post, submit, userMessage } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

// A parameter of a list that is ignored would be answered with more than was asked for.

let stage: Stage;
let taskId: string;
const contextId = randomUUID();

beforeAll(async () => {
  stage = await openStage();
  taskId = (await submit(stage.url, userMessage('a', { contextId }))).id;
});

afterAll(() => stage[Symbol.asyncDispose]());

const fieldsOf = ({ error }: ErrorBody): unknown =>
  [...(error.details ?? []), ...(error.data ?? [])].flatMap(({ fieldViolations = [] }) =>
    fieldViolations.map(({ field }) => field),
  );

describe('An unknown parameter of a list', () => {
  it.each([
    ['ListTasks', '/tasks?contextld=a'],
    ['ListTasks in a repeated filter', '/tasks?contextId=a&contextId=b'],
    ['ListTaskPushNotificationConfigs', '/tasks/nothing/pushNotificationConfigs?status=x'],
    ['the agents', '/agents?query=pizza'],
    ['the conversations', '/conversations?contextId=a&state=open'],
    ['the configs of 0.3', '/v1/tasks/nothing/pushNotificationConfigs?pagesize=1'],
    ['the tasks of 0.3', '/v1/tasks?contextId=a'],
  ])('is refused over HTTP+JSON: %s', async (_, path) => {
    expect((await get(stage.url + path)).status).toBe(400);
  });

  it('is named over HTTP+JSON', async () => {
    const { body } = await get<ErrorBody>(`${stage.url}/tasks?contextld=a&includeArtifact=true`);
    expect(fieldsOf(body)).toEqual(['contextld', 'includeArtifact']);
  });

  it.each([
    ['ListTasks', { contextld: 'a' }],
    ['ListTaskPushNotificationConfigs', { taskId: 'nothing', contextld: 'a' }],
    ['tasks/pushNotificationConfig/list', { id: 'nothing', contextld: 'a' }],
  ])('is named over JSON-RPC: %s', async (method, params) => {
    const { body } = await call<ErrorBody>(stage.url, method, params);
    expect(fieldsOf(body)).toEqual(['contextld']);
  });
});

describe('A known parameter of a list', () => {
  const before = '1970-01-01T00:00:00Z';
  const after = '2099-01-01T00:00:00Z';

  it.each(['statusTimestampAfter', 'lastUpdatedAfter', 'status_timestamp_after'])(
    'may be named %s over HTTP+JSON and JSON-RPC',
    async (name) => {
      const found = async (time: string): Promise<unknown[]> => {
        const { body } = await get<{ totalSize: number }>(`${stage.url}/tasks?contextId=${contextId}&${name}=${time}`);
        const params = { contextId, [name]: time };
        const inRpc = await call<{ result: { totalSize: number } }>(stage.url, 'ListTasks', params);
        return [body.totalSize, inRpc.body.result.totalSize];
      };
      expect(await found(before)).toEqual([1, 1]);
      expect(await found(after)).toEqual([0, 0]);
    },
  );

  it('is refused by both of its names with different values', async () => {
    const { body } = await get<ErrorBody>(
      `${stage.url}/tasks?statusTimestampAfter=${before}&lastUpdatedAfter=${after}`,
    );
    expect(fieldsOf(body)).toEqual(['lastUpdatedAfter']);
  });

  it('may stand beside the version', async () => {
    expect((await get(`${stage.url}/tasks?a2a-version=1.0`)).status).toBe(200);
  });
});

describe('A body of null', () => {
  it('is an empty one', async () => {
    const canceled = await post<{ id: string }>(`${stage.url}/tasks/${taskId}:cancel`, 'null');
    expect(canceled.body.id).toBe(taskId);
    const { body } = await post<ErrorBody>(`${stage.url}/message:send`, 'null');
    expect(fieldsOf(body)).toEqual(['message']);
  });
});
