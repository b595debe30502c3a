import {
  inputIsMissing,
  inputUri,
  resumableStreamsUri,
  scheduleUri,
  suspendedUri,
  usageUri,
  waitingUri,
} from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { timeIn } from '../src/commands/start-time.ts';
import { CommandFailure } from '../src/failures/failure.ts';
import { json, lines, run } from './support/run.ts';
import { type Called, type Reply, scriptedServer } from './support/scripted-server.ts';

// What the command says while it waits and when it cannot, against an agent with scripted replies.

function task(state: string, more: object = {}) {
  return { id: 't', contextId: 'c', status: { state: `TASK_STATE_${state}` }, ...more };
}
const is = (state: string, more?: object): Reply => ({ result: task(state, more) });
const waitsFor = (reason: string, text: string) => ({ metadata: { [waitingUri]: { reason, text, isStuck: true } } });
const messageIdIn = (call: Called | undefined): string => String(Object(call?.params.message).messageId);
const ours = { extensions: [{ uri: resumableStreamsUri }, { uri: waitingUri }, { uri: scheduleUri }] };
const ended = { statusUpdate: { taskId: 't', ...task('COMPLETED') } };

// Each waits for seconds, so they run at once.
describe.concurrent('a command that waits', () => {
  const script = {
    SendStreamingMessage: [{ events: [{ task: task('SUBMITTED') }, ended], endsAfter: 2 }],
    GetTask: [
      is('SUBMITTED', waitsFor('no-worker', 'No worker runs the agent.')),
      is('SUBMITTED', waitsFor('agent-paused', 'The agent is paused by its operators.')),
      is('COMPLETED'),
    ],
  };

  it('says after two seconds what the task waits for and what to do, and again when that changes', async () => {
    await using server = await scriptedServer(script, ours);
    const { err, code } = await run(['send', 'Hi', '-a', server.url]);
    const [first, second] = err.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(first).toMatch(
      /^waiting: No worker runs the agent\. .*Start a worker.* Cancel it: switchyard task cancel .* t$/,
    );
    expect(second).toMatch(/^waiting: The agent is paused/);
    const asked = server.calls.find(({ method }) => method === 'GetTask');
    expect(asked?.headers['a2a-extensions']).toContain(waitingUri);
  });

  it('prints it as an event with -o json --stream', async () => {
    await using server = await scriptedServer(
      { ...script, SendStreamingMessage: [{ events: [{ task: task('SUBMITTED') }, ended], endsAfter: 1 }] },
      ours,
    );
    const { events, err } = await lines(['send', 'Hi', '-a', server.url]);
    expect([err, events.map((event) => Object.keys(event)[0])]).toEqual(['', ['task', 'statusUpdate', 'statusUpdate']]);
    expect(events[1].statusUpdate.metadata[waitingUri].reason).toBe('no-worker');
  });

  it('names the event that the task waits for, and how to give it', async () => {
    const waits = { metadata: { [suspendedUri]: [{ event: 'approval', until: '2030-01-31T12:00:00.000Z' }] } };
    const explained = { ...waits.metadata, ...waitsFor('suspended', 'It waits.').metadata };
    await using server = await scriptedServer(
      {
        SendStreamingMessage: [
          { events: [{ statusUpdate: { taskId: 't', ...task('WORKING', waits) } }, ended], endsAfter: 1 },
        ],
        GetTask: [is('WORKING', { metadata: explained }), is('WORKING', waits)],
      },
      ours,
    );
    const { out, err } = await run(['send', '--stream', 'Hi', '-a', server.url]);
    expect(err).toContain("Give it: switchyard task event t approval '<JSON>'");
    const text = 'Waits: for the event "approval" until 2030-01-31T12:00:00.000Z\n';
    expect(out).toContain(text);
    expect((await run(['task', 'get', 't', '-a', server.url])).out).toContain(text);
  });

  it('says how to send data if the agent wants nothing else, with an example of its schema', async () => {
    const schema = {
      type: 'object',
      properties: { size: { enum: ['small', 'large'] }, number: { type: 'integer', minimum: 2 }, note: {} },
      required: ['size', 'number'],
    };
    const message = `Invalid parameters: message.parts ${inputIsMissing}`;
    await using server = await scriptedServer(
      { SendStreamingMessage: [{ error: { code: -32602, message } }] },
      { extensions: [{ uri: inputUri, params: { schema } }] },
    );
    const { err } = await run(['send', 'A pizza', '-a', server.url]);
    expect(err).toContain(`Hint: switchyard send -a ${server.url} --data '{"size":"small","number":2}'\n`);
  });

  it('of another agent says only that it has not begun', async () => {
    await using server = await scriptedServer({
      SendStreamingMessage: [{ events: [{ task: task('SUBMITTED') }, ended], endsAfter: 1 }],
      GetTask: [is('SUBMITTED'), is('COMPLETED')],
    });
    expect((await run(['send', 'Hi', '-a', server.url])).err).toContain('waiting: The agent has not begun the task.');
  });
});

it('task get shows what the task has used of models', async () => {
  const total = { inputTokens: 1200, outputTokens: 340, microUsd: 9150, calls: 3, unpricedCalls: 1 };
  const used = (usage: object) => is('COMPLETED', { metadata: { [usageUri]: usage } });
  await using server = await scriptedServer({
    GetTask: [used({ total }), used({ total: { inputTokens: 5 } }), used({ total: 'much' })],
  });
  const shown = async () => (await run(['task', 'get', 't', '-a', server.url])).out.match(/^Usage: .*$/m)?.[0];
  expect(await shown()).toBe('Usage: 1200 tokens in, 340 tokens out, 0.00915 USD, 1 request without a price');
  expect(await shown()).toBe('Usage: 5 tokens in, 0 tokens out');
  expect(await shown()).toBeUndefined();
});

describe('an id', () => {
  it('that is not known yet is replaced by the message id and the command that repeats the message', async () => {
    await using server = await scriptedServer({ SendStreamingMessage: [{ events: [ended], endsAfter: 99 }] }, ours);
    const args = ['send', 'Two pizzas', '--timeout', '400ms', '--api-key', 'sesame', '-a', server.url];
    const { code, document } = await json(args);
    expect([code, document.error.code]).toEqual([5, 'A2ACLI_ERR_TIMEOUT']);
    const messageId = messageIdIn(server.calls[0]);
    expect(document.error.message).toContain(`The agent may have the message ${messageId}.`);
    const again = `switchyard send --message-id ${messageId} 'Two pizzas' -a ${server.url} -o json`;
    expect(document.error.hint).toBe(again);
    const repeated = await json(['send', '--message-id', messageId, 'x', '--timeout', '300ms', '-a', server.url]);
    expect(repeated.document.error.hint).toContain(`--message-id ${messageId} x`);
    expect(server.calls.map(messageIdIn)).toEqual([messageId, messageId]);
  });

  it('is not asked for if a limit refused the message', async () => {
    const message = 'Too many messages wait for this agent';
    const refused = { error: { code: -32056, message } };
    await using server = await scriptedServer({ SendStreamingMessage: [refused] }, ours);
    const ran = await run(['send', 'Hi', '-a', server.url]);
    expect([ran.code, ran.err]).toEqual([
      1,
      `Error: SWITCHYARD_ERR_RATE_LIMITED\nReason: ${message}\nHint: Nothing was done. Try again later.\n`,
    ]);
    expect(server.calls).toHaveLength(1);
  });

  it('is asked for with the same message, if the stream breaks before the first event', async () => {
    await using server = await scriptedServer(
      {
        SendStreamingMessage: [{ events: [], isCut: true }],
        SendMessage: [{ result: { task: task('WORKING') } }],
        GetTask: [is('COMPLETED')],
      },
      ours,
    );
    const { code, document } = await json(['send', 'Hi', '-a', server.url]);
    expect([code, document.task.id]).toEqual([0, 't']);
    const [first, again] = server.calls.map(({ params }) => params);
    expect(again).toMatchObject({ message: first?.message, configuration: { returnImmediately: true } });
  });

  it('is not asked for at an agent that may take the same message for another one', async () => {
    await using server = await scriptedServer({ SendStreamingMessage: [{ events: [], isCut: true }] });
    const { document } = await json(['send', 'Hi', '-a', server.url]);
    expect(document.error).toMatchObject({ message: expect.stringContaining('may have the message') });
    expect(server.calls).toHaveLength(1);
  });

  it('is said by chat, too, if it is interrupted before the agent has named a task', async () => {
    await using server = await scriptedServer({ SendStreamingMessage: [{ events: [ended], endsAfter: 99 }] }, ours);
    const stop = new AbortController();
    const chat = run(['chat', '-a', server.url], { stdin: 'Two pizzas\n', stopped: stop.signal });
    await until(() => server.calls.length === 1, { what: 'the agent has the message' });
    stop.abort(new CommandFailure('A2ACLI_ERR_INTERNAL', 'It was interrupted'));
    const { code, out } = await chat;
    const again = `switchyard send -a ${server.url} --message-id ${messageIdIn(server.calls[0])} 'Two pizzas'\n`;
    expect([code, out]).toEqual([130, expect.stringContaining(again)]);
  });

  it('is said by chat, too, for a task whose id has control characters, which are escaped', async () => {
    const odd = 'id\u001b[31m';
    const working = { statusUpdate: { taskId: odd, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } };
    await using server = await scriptedServer({ SendStreamingMessage: [{ events: [working, ended], endsAfter: 99 }] });
    const stop = new AbortController();
    const chat = run(['chat', '-a', server.url], { stdin: 'Two pizzas\n', stopped: stop.signal });
    await until(() => server.calls.length === 2, { what: 'the command knows the task, and asks what it waits for' });
    stop.abort(new CommandFailure('A2ACLI_ERR_INTERNAL', 'It was interrupted'));
    const { out } = await chat;
    expect(out).toContain('The task goes on: switchyard task get');
    expect(out).not.toContain('\u001b');
  });

  it('of a task whose answer is too large for a stream is kept, and the task is read', async () => {
    const text = 'x'.repeat(4.5 * 2 ** 20);
    const artifact = { artifactId: 'a', parts: [{ text }] };
    await using server = await scriptedServer(
      {
        SendStreamingMessage: [
          { events: [{ task: task('WORKING') }, { artifactUpdate: { taskId: 't', contextId: 'c', artifact } }] },
        ],
        GetTask: [is('COMPLETED', { artifacts: [artifact] })],
      },
      ours,
    );
    const { code, document } = await json(['send', 'Hi', '-a', server.url]);
    expect([code, document.task.artifacts[0].parts[0].text.length]).toEqual([0, text.length]);
  });
});

describe('send', () => {
  it('--stream fails if the stream has no event', async () => {
    await using server = await scriptedServer({ SendStreamingMessage: [{ events: [] }] });
    const { code, err } = await run(['send', '--stream', 'Hi', '-a', server.url]);
    expect([code, err]).toEqual([1, expect.stringContaining('InvalidAgentResponseError')]);
  });

  it.each([
    ['COMPLETED', 0],
    ['FAILED', 10],
    ['REJECTED', 11],
    ['CANCELED', 12],
    ['INPUT_REQUIRED', 13],
  ])('--exit-status exits with the state of the task: %s is %i', async (state, exitCode) => {
    await using server = await scriptedServer({ SendStreamingMessage: [{ events: [{ task: task(state) }] }] });
    const { code, out } = await run(['send', '--exit-status', '-o', 'json', 'Hi', '-a', server.url]);
    expect([code, JSON.parse(out).task.status.state]).toEqual([exitCode, `TASK_STATE_${state}`]);
  });

  it('--stream prints the text of an artifact as it grows, with its ids once', async () => {
    const piece = (text: string, append: boolean) => ({
      artifactUpdate: {
        taskId: 't',
        contextId: 'c',
        artifact: { artifactId: 'a', name: 'Report', parts: [{ text }] },
        append,
      },
    });
    const events = [
      { task: task('WORKING') },
      piece('One ', false),
      piece('two.\n', true),
      piece('\nThree', true),
      ended,
    ];
    await using server = await scriptedServer({ SendStreamingMessage: [{ events }] });
    const { out } = await run(['send', '--stream', 'Hi', '-a', server.url]);
    const ids = (state: string) => `Task: t\nContext: c\nState: TASK_STATE_${state}\n`;
    const next = `Next: switchyard send -a ${server.url} --context-id c "<message>"\n`;
    expect(out).toBe(
      `${ids('WORKING')}Artifact: Report (a)\nText:\nOne two.\n \nThree\n\n${ids('COMPLETED')}${ids('COMPLETED')}${next}`,
    );
  });

  it('names the flags in errors of the agent, and says which time it understood', async () => {
    const message = `message.metadata["${scheduleUri}"].cron is no cron expression`;
    await using server = await scriptedServer(
      { SendMessage: [{ error: { code: -32602, message } }, { result: { task: task('SUBMITTED') } }] },
      ours,
    );
    const wrong = await run(['send', '--cron', 'x', 'Hi', '-a', server.url]);
    expect(wrong.err).toContain('Reason: --cron is no cron expression');
    const local = await run(['send', '--at', '2099-11-27T23:00:00', 'Hi', '-a', server.url]);
    const at = new Date('2099-11-27T23:00:00').toISOString();
    expect([local.code, local.err]).toEqual([0, expect.stringContaining(`at: ${at} (here `)]);
    expect(JSON.stringify(server.calls.at(-1)?.params)).toContain(at);
    const past = await run(['send', '--at', '2020-01-31T09:00:00Z', 'Hi', '-a', server.url]);
    expect(past.err).toContain('is in the past: the task begins at once');
    await run(['send', '--cron', '0 9 * * *', '--times', '3', '--until', '2099-01-01', 'Hi', '-a', server.url]);
    expect(JSON.stringify(server.calls.at(-1)?.params)).toMatch(/"times":3/);
  });

  it.each([
    [['--task-id', ''], '--task-id must not be empty'],
    [['--at', 'tomorow'], '--at tomorow: it must be a time such as "tomorrow 9:00"'],
    [['--at', '+2h', '--cron', '0 9 * * *'], '--at and --cron exclude each other'],
    [['--times', '3'], '--times is for --cron'],
  ])('refuses %j as wrong usage, in its own words', async (args, reason) => {
    await using server = await scriptedServer({});
    const { code, err } = await run(['send', 'Hi', ...args, '-a', server.url]);
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
  });
});

describe('a start time', () => {
  const now = new Date(2026, 10, 27, 22, 30);

  it.each([
    ['tomorrow 9:00', new Date(2026, 10, 28, 9, 0)],
    ['tomorrow', new Date(2026, 10, 28)],
    ['today 23:15', new Date(2026, 10, 27, 23, 15)],
    ['23:00', new Date(2026, 10, 27, 23, 0)],
    ['9:00', new Date(2026, 10, 28, 9, 0)],
    ['+2h', new Date(2026, 10, 28, 0, 30)],
    ['+90s', new Date(2026, 10, 27, 22, 31, 30)],
    ['2026-11-27T23:00:00', new Date(2026, 10, 27, 23, 0)],
    ['2026-11-27 23:00', new Date(2026, 10, 27, 23, 0)],
    ['2026-11-28', new Date(2026, 10, 28)],
    ['2026-11-27T23:00:00+01:00', new Date('2026-11-27T22:00:00Z')],
  ])('%s is local unless it says otherwise', (text, time) => {
    expect(timeIn('--at', text, now)).toEqual(time);
  });

  it.each(['', '25:00', '9:75', 'next week', '2026-13-01', '+2', '+2y'])('%j is refused', (text) => {
    expect(() => timeIn('--at', text, now)).toThrow('it must be a time');
  });
});

describe('task', () => {
  it('list -o json has the required fields of the answer also without tasks', async () => {
    await using server = await scriptedServer({
      ListTasks: [{ result: { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 } }],
    });
    const { document } = await json(['task', 'list', '-a', server.url]);
    expect(document).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
  });

  it('cancel says what an open task waits for, and with --wait waits for its end', async () => {
    const script = {
      CancelTask: [is('WORKING', waitsFor('worker-silent', 'The worker that runs the task does not answer.'))],
      GetTask: [is('INPUT_REQUIRED'), is('CANCELED')],
    };
    await using server = await scriptedServer(script, ours);
    const open = await run(['task', 'cancel', 't', '-a', server.url]);
    expect([open.code, open.err]).toEqual([0, expect.stringContaining('waiting: The worker that runs the task')]);
    expect(open.err).toContain(`switchyard task cancel -a ${server.url} --wait t`);
    const waited = await json(['task', 'cancel', '--wait', 't', '-a', server.url]);
    expect(waited.document.status.state).toBe('TASK_STATE_CANCELED');
  });

  it('of an unknown id says at which agent it was looked for, and where else to look', async () => {
    await using server = await scriptedServer({ GetTask: [{ error: { code: -32001, message: 'Task not found' } }] });
    const { document } = await json(['task', 'get', 'none', '-a', server.url]);
    expect(document.error.message).toContain(`at the agent “Scripted”, ${server.url}`);
    expect(document.error.hint).toContain('A task is found only at its own agent (-a)');
  });
});

describe('characters that control a terminal', () => {
  const evil = 'a\u202etxt.exe\u2066\u009b31m\u200f';

  it('are escaped in texts, notes, errors and JSON, whose values stay the same', async () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: evil }] };
    await using server = await scriptedServer({
      GetTask: [is('COMPLETED', { status: { state: 'TASK_STATE_COMPLETED', message } })],
      ListTasks: [{ error: { code: -32603, message: evil } }],
    });
    const text = await run(['task', 'get', 't', '-a', server.url]);
    const data = await json(['task', 'get', 't', '-a', server.url]);
    const failed = await run(['task', 'list', '-a', server.url]);
    for (const { out, err } of [text, data, failed])
      expect(out + err).not.toMatch(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\u0080-\u009f]/);
    expect(text.out).toContain('a\\u202etxt.exe');
    expect(data.document.status.message.parts[0].text).toBe(evil);
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])('for %s has the commands and their options', async (shell) => {
    const { out, code } = await run(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['push-config', '--exit-status', 'doctor']) expect(out).toContain(word);
  });
});
