import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agents } from './support/agents.ts';
import { get, submit } from './support/client.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

describe('health', () => {
  it('is reported for the process', async () => {
    expect(await get(`${stage.url}/healthz`)).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('is ready with Redis, and reveals nothing else', async () => {
    const { status, body } = await get(`${stage.url}/readyz`);
    expect([status, body]).toEqual([200, { status: 'ready' }]);
  });

  it('is ready without workers: messages are accepted and wait', async () => {
    await stage.store.registry.withdraw(agents, 'test');
    const { body } = await get(`${stage.url}/readyz`);
    expect(body).toEqual({ status: 'ready' });
    expect((await submit(stage.url)).status.state).toBe('TASK_STATE_SUBMITTED');
  });

  it('answers 404 at the root until the default agent is announced', async () => {
    const url = await stage.another({ defaultAgent: 'later' });
    expect((await get(`${url}/readyz`)).status).toBe(200);
    expect(await get(`${url}/tasks`)).toMatchObject({ status: 503, body: { error: { status: 'UNAVAILABLE' } } });
    expect((await get(`${url}/agents/echo/tasks`)).status).toBe(200);
  });
});
