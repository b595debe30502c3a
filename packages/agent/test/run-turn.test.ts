import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { defineAgent, RetryableError } from '../src/index.ts';
import { runTurn } from '../src/testing/index.ts';

const curious = agentThat((turn) =>
  turn.history.length < 3 ? turn.requireInput('What kind?') : turn.complete(`One ${turn.text}`),
);

describe('runTurn', () => {
  it('returns the state, the answer, and the artifacts by name', async () => {
    const agent = agentThat(async (turn) => {
      await turn.artifact({ name: 'Report' }).finish('All is well');
      return turn.complete(`Hello, ${turn.text}`);
    });
    expect(await runTurn(agent, 'Ada')).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      answer: 'Hello, Ada',
      results: { Report: 'All is well' },
      task: { history: [{ role: 'ROLE_USER' }, { role: 'ROLE_AGENT' }] },
    });
  });

  it('with crashesAfter runs another attempt after each crash; finished steps do not run again', async () => {
    const made: string[] = [];
    const agent = agentThat(async (turn) => {
      const step = (name: string) => turn.step(name, async () => void made.push(name));
      await step('first');
      await turn.working('Half of it');
      await step('second');
      await turn.working('All of it');
      return turn.complete(`in attempt ${turn.attempt}`);
    });
    const { answer, task } = await runTurn(agent, 'Go', { crashesAfter: [1, 2] });
    expect(made).toEqual(['first', 'second']);
    expect(answer).toBe('in attempt 3');
    expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['Go', 'Half of it', 'All of it', 'in attempt 3']);
  });

  it('with crashesAfter runs no other attempt if the crash comes after the outcome', async () => {
    const agent = agentThat((turn) => turn.complete(`in attempt ${turn.attempt}`));
    expect((await runTurn(agent, 'Go', { crashesAfter: [1] })).answer).toBe('in attempt 1');
  });

  it('retries the turn until maxAttempts', async () => {
    const alwaysRetrying = agentThat(async (turn) => {
      await turn.working(`Attempt ${turn.attempt}`);
      throw new RetryableError('Not yet.');
    });
    const { result, events, answer, task } = await runTurn(alwaysRetrying, 'Hello', { maxAttempts: 2 });
    expect(result.kind).toBe('failed');
    expect(answer).toBe('The agent gave up after 2 attempts: Not yet.');
    expect(events).toHaveLength(3);
    expect(task.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(1);
  });

  it.each([
    [0, []],
    [1, ['TASK_STATE_WORKING']],
  ])('with cancelAfter cancels the task after %d events, and aborts the turn', async (cancelAfter, published) => {
    const agent = agentThat(async (turn) => {
      if (cancelAfter > 0) await turn.working();
      await delay(60_000, undefined, { signal: turn.signal });
      return turn.complete('too late');
    });
    const { state, answer, events } = await runTurn(agent, 'Go', { cancelAfter });
    expect([state, answer]).toEqual(['TASK_STATE_CANCELED', '']);
    expect(events.map(({ statusUpdate }) => statusUpdate?.status.state)).toEqual([...published, 'TASK_STATE_CANCELED']);
  });

  it('returns what the agent logged in all attempts', async () => {
    const agent = agentThat((turn) => {
      turn.log.info('Begun', { attempt: turn.attempt });
      if (turn.attempt === 1) throw new RetryableError('Not yet.');
      turn.log.warn('It took two attempts');
      return turn.complete();
    });
    expect((await runTurn(agent, 'Go')).log).toEqual([
      { level: 'info', text: 'Begun', fields: { attempt: 1 } },
      { level: 'info', text: 'Begun', fields: { attempt: 2 } },
      { level: 'warn', text: 'It took two attempts', fields: {} },
    ]);
  });

  it('passes the principal and the metadata of the request to the turn', async () => {
    const agent = agentThat((turn) => turn.complete(`${turn.principal.subject} ${turn.metadata.priority}`));
    const principal = { tenant: 'acme', subject: 'ada', scopes: [] };
    expect((await runTurn(agent, 'Go', { principal, metadata: { priority: 1 } })).answer).toBe('ada 1');
  });
});

describe('what a task has used of models', () => {
  const uses = (id: string, callee?: string) =>
    defineAgent({
      id,
      card: { name: id, description: 'Uses models.', version: '1.0.0', skills: [] },
      async execute(turn) {
        await turn.usage({ model: 'small', inputTokens: 10, microUsd: 100 });
        await turn.usage({ model: 'batch', key: 'job 1', outputTokens: 5 * turn.attempt });
        if (callee !== undefined) await turn.call(callee, 'Cook');
        return turn.requireInput(JSON.stringify(await turn.spent()));
      },
    });

  it('is read by spent: in all turns and attempts, with all tasks below it', async () => {
    const asked = await runTurn(uses('host', 'kitchen'), 'One', { agents: [uses('kitchen')] });
    const first = { inputTokens: 20, outputTokens: 10, calls: 4, unpricedCalls: 2, microUsd: 200 };
    expect([JSON.parse(asked.answer), asked.spent]).toEqual([first, first]);
    const again = await asked.say('Two');
    expect(again.spent).toEqual({ inputTokens: 40, outputTokens: 15, calls: 7, unpricedCalls: 3, microUsd: 400 });
    expect(again.used).toHaveLength(2);
  });
});

describe('the result of runTurn', () => {
  it('can run the next turn in the same task, with its history (say)', async () => {
    const first = await runTurn(curious, 'A pizza');
    const second = await first.say('Hawaiian');
    expect([first.answer, second.answer]).toEqual(['What kind?', 'One Hawaiian']);
    expect(second.task.id).toBe(first.task.id);
    expect(second.task.history?.map(({ role, parts: [part] }) => [role, part?.text])).toEqual([
      ['ROLE_USER', 'A pizza'],
      ['ROLE_AGENT', 'What kind?'],
      ['ROLE_USER', 'Hawaiian'],
      ['ROLE_AGENT', 'One Hawaiian'],
    ]);
  });

  it('is refused as by the gateway if the card does not accept the media types, or the client none of the agent', async () => {
    const skills = [{ id: 's', name: 'S', description: 'Sees.', tags: [], inputModes: ['image/*'] }];
    const card = { name: 'Viewer', description: 'Sees.', version: '1.0.0', skills };
    const agent = agentThat((turn) => turn.requireInput('More?'), { card });
    const heic = { raw: 'aGVpYw==', filename: 'a.heic', mediaType: 'image/heic' };
    const video = { raw: 'bXA0', filename: 'a.mp4', mediaType: 'video/mp4' };
    const asked = await runTurn(agent, [{ text: 'See' }, heic]);
    const refused = { code: 'ContentTypeNotSupported', message: expect.stringContaining('"video/mp4", of "a.mp4"') };
    await expect(runTurn(agent, video)).rejects.toMatchObject(refused);
    await expect(asked.say(video)).rejects.toMatchObject(refused);
    await expect(asked.newTask(video)).rejects.toMatchObject(refused);
    await expect(runTurn(agent, 'See', { acceptedOutputModes: ['image/png'] })).rejects.toMatchObject({
      code: 'ContentTypeNotSupported',
    });
  });

  it('has texts as they are, data as JSON, and of files their names, types and URLs or sizes (results)', async () => {
    const agent = agentThat(async (turn) => {
      await turn.artifact({ name: 'Mixed' }).finish([{ text: 'See' }, { data: { a: 1 } }]);
      await turn.artifact({ name: 'Inline' }).finish({ raw: 'cG5n', mediaType: 'image/png' });
      await turn.artifact({ name: 'Stored' }).file('pdf', { name: 'a.pdf', mediaType: 'application/pdf' });
      return turn.complete();
    });
    const { results, files } = await runTurn(agent, 'Go');
    expect(results).toEqual({
      Mixed: 'See\n{"a":1}',
      Inline: '[file (image/png), 3 bytes]',
      Stored: `[file a.pdf (application/pdf): ${[...files.keys()][0]}]`,
    });
  });

  it('refuses the next turn if the task has ended', async () => {
    const done = await runTurn(
      agentThat((turn) => turn.complete()),
      'Hello',
    );
    await expect(done.say('Hello again')).rejects.toMatchObject({ code: 'UnsupportedOperation' });
  });

  it('can begin another task in the same context, with its memory and its earlier tasks (newTask)', async () => {
    const agent = agentThat(async (turn) => {
      const visits = await turn.memory.update<number>((count = 0) => count + 1);
      const others = (await turn.otherTasks()).map(({ task }) => task.status.message?.parts[0]?.text);
      return turn.complete(`visit ${visits}, after ${others.join() || 'none'}`);
    });
    const first = await runTurn(agent, 'Hello');
    const second = await first.newTask('Hello again');
    expect([first.answer, second.answer]).toEqual(['visit 1, after none', 'visit 2, after visit 1, after none']);
    expect(second.task.id).not.toBe(first.task.id);
    expect(second.task.contextId).toBe(first.task.contextId);
    expect((await runTurn(agent, 'Hello')).answer).toBe('visit 1, after none');
  });

  it('keeps its options for the next turn, except for crashesAfter', async () => {
    const agent = agentThat(async (turn) => {
      await turn.working();
      return turn.requireInput(`${turn.principal.subject} in attempt ${turn.attempt}`);
    });
    const principal = { tenant: '', subject: 'ada', scopes: [] };
    const first = await runTurn(agent, 'Go', { principal, crashesAfter: [1] });
    const second = await first.say('Go on');
    const third = await second.say('Go on', { principal: { ...principal, subject: 'bob' } });
    expect([first, second, third].map(({ answer }) => answer)).toEqual([
      'ada in attempt 2',
      'ada in attempt 1',
      'bob in attempt 1',
    ]);
  });
});
