import { resumableStreamsUri } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { json, lines, run } from './support/run.ts';
import { type Reply, scriptedServer } from './support/scripted-server.ts';

// How the command waits and what it sends, against an agent with scripted replies.

function task(state: string, more: object = {}) {
  return { id: 't', contextId: 'c', status: { state: `TASK_STATE_${state}` }, ...more };
}

const begun: Reply = { events: [{ task: task('WORKING') }], isCut: true };
const ended: Reply = { events: [{ task: task('WORKING') }, { statusUpdate: { taskId: 't', ...task('COMPLETED') } }] };
const is = (state: string, more?: object): Reply => ({ result: task(state, more) });
const quick = ['--poll-interval', '100ms'];
const methods = ({ calls }: { calls: readonly { method: string }[] }) => calls.map(({ method }) => method);

describe('a wait', () => {
  it('subscribes again after a broken stream, and prints the whole task', async () => {
    await using server = await scriptedServer({
      SendStreamingMessage: [begun],
      SubscribeToTask: [begun, ended],
      GetTask: [
        is('WORKING'),
        is('WORKING'),
        is('COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'x' }] }] }),
      ],
    });
    const { document, code, err } = await json(['send', 'Hi', '-a', server.url, ...quick]);
    expect([code, document.task.artifacts.length]).toEqual([0, 1]);
    expect(err.match(/The stream broke off/g)).toHaveLength(2);
    expect(methods(server)).toEqual([
      'SendStreamingMessage',
      ...['GetTask', 'SubscribeToTask', 'GetTask', 'SubscribeToTask', 'GetTask'],
    ]);
  });

  it('polls a task that ended while the stream was broken; --stream prints it as the last line', async () => {
    await using server = await scriptedServer({ SendStreamingMessage: [begun], GetTask: [is('FAILED')] });
    const { events, code } = await lines(['send', 'Hi', '-a', server.url, ...quick]);
    expect([code, events]).toEqual([0, [{ task: task('WORKING') }, { task: task('FAILED') }]]);
  });

  it('polls an agent without streaming, and ignores unknown states', async () => {
    const script = {
      SendMessage: [{ result: { task: task('SUBMITTED') } }],
      GetTask: [is('UNSPECIFIED'), is('WORKING'), is('AUTH_REQUIRED')],
    };
    await using server = await scriptedServer(script, { streaming: false });
    const { document } = await json(['send', 'Hi', '-a', server.url, ...quick]);
    expect(document.task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(methods(server)).toEqual(['SendMessage', 'GetTask', 'GetTask', 'GetTask']);
    await using again = await scriptedServer(script, { streaming: false });
    const streamed = await lines(['send', 'Hi', '-a', again.url, ...quick]);
    expect(streamed.events).toEqual([{ task: task('AUTH_REQUIRED') }]);
  });

  it('does not take the earlier question for the answer to the reply', async () => {
    await using server = await scriptedServer({
      SendStreamingMessage: [
        { events: [{ task: task('INPUT_REQUIRED') }, { statusUpdate: { taskId: 't', ...task('COMPLETED') } }] },
      ],
      GetTask: [is('COMPLETED')],
    });
    const { events } = await lines(['send', 'Hi', '--task-id', 't', '-a', server.url]);
    expect(events).toHaveLength(2);
  });

  it('polls until --timeout, then names the task', async () => {
    await using server = await scriptedServer({ GetTask: [is('UNSPECIFIED')] });
    const { code, document } = await json([
      'task',
      'get',
      '--wait',
      't',
      '--timeout',
      '350ms',
      '-a',
      server.url,
      ...quick,
    ]);
    expect([code, document.error.code]).toEqual([5, 'A2ACLI_ERR_TIMEOUT']);
    expect(server.calls.length).toBeGreaterThan(1);
  });

  it('takes a whole result for a stream of one event', async () => {
    const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } };
    await using server = await scriptedServer({
      SendStreamingMessage: [{ result: { task } }],
      GetTask: [{ result: task }],
    });
    const { document, code } = await json(['send', 'Hi', '-a', server.url]);
    expect([code, document.task.id]).toEqual([0, 't']);
  });

  it.each<[string, Reply, string]>([
    ['a page', { body: '<title>Sign in</title>', type: 'text/html' }, 'a page instead of A2A (HTTP 200): Sign in'],
    ['no result', { result: null }, 'The agent’s answer is not A2A'],
    ['no JSON', { body: 'OK', type: 'application/json' }, 'The agent’s answer is not A2A'],
  ])('says that the answer is %s', async (_, reply, text) => {
    await using server = await scriptedServer({ SendStreamingMessage: [reply], GetTask: [reply] });
    for (const args of [
      ['send', 'Hi'],
      ['task', 'get', 't'],
    ]) {
      const { code, err } = await run([...args, '-a', server.url]);
      expect([code, err]).toEqual([1, expect.stringContaining(text)]);
    }
  });

  it("fails if the agent's stream has no event", async () => {
    await using server = await scriptedServer({ SendStreamingMessage: [{ events: [] }] });
    expect((await json(['send', 'Hi', '-a', server.url])).document.error.code).toBe('InvalidAgentResponseError');
  });

  it('prints an error in a stream as the last line', async () => {
    await using server = await scriptedServer({});
    const { events, code } = await lines(['send', 'Hi', '-a', server.url]);
    expect([code, events]).toEqual([1, [{ error: expect.objectContaining({ code: 'MethodNotFoundError' }) }]]);
  });
});

describe('a broken stream with event ids', () => {
  const withIds = { extensions: [{ uri: resumableStreamsUri }] };
  const identified = (eventId: string) => ({ metadata: { [resumableStreamsUri]: { eventId } } });
  const first = { task: task('WORKING', identified('1-x')) };
  const status = (state: string, eventId: string) => ({
    statusUpdate: { taskId: 't', contextId: 'c', status: task(state).status, ...identified(eventId) },
  });
  const broken: Reply = { events: [first], isCut: true };

  it('is resumed after the last event, and each event is printed once', async () => {
    const rest: Reply[] = [
      { events: [status('WORKING', '2-x')], isCut: true },
      { events: [status('COMPLETED', '3-x')] },
    ];
    await using server = await scriptedServer({ SendStreamingMessage: [broken], SubscribeToTask: rest }, withIds);
    const words = ['--svc-param', 'a2a-extensions: urn:own'];
    const { events, code } = await lines(['send', 'Hi', '-a', server.url, ...quick, ...words]);
    expect([code, events]).toEqual([0, [first, status('WORKING', '2-x'), status('COMPLETED', '3-x')]]);
    expect(methods(server)).toEqual(['SendStreamingMessage', 'SubscribeToTask', 'SubscribeToTask']);
    expect(server.calls.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1-x', '2-x']);
    for (const { headers } of server.calls) expect(headers['a2a-extensions']).toBe(`urn:own,${resumableStreamsUri}`);
  });

  it('falls back to reading the task if it cannot be resumed', async () => {
    const refused: Reply = { error: { code: -32004, message: 'the task has ended' } };
    await using server = await scriptedServer(
      { SendStreamingMessage: [broken], SubscribeToTask: [refused], GetTask: [is('COMPLETED')] },
      withIds,
    );
    const { events, code, err } = await lines(['send', 'Hi', '-a', server.url, ...quick]);
    expect([code, events]).toEqual([0, [first, { task: task('COMPLETED') }]]);
    expect(err).toContain('The stream broke off: the task has ended');
  });

  it('is resumed as often as it brings a new event', async () => {
    const each = Array.from({ length: 8 }, (_, n): Reply => ({ events: [status('WORKING', `${n + 2}`)], isCut: true }));
    const rest = [...each, { events: [status('COMPLETED', '10')] }];
    await using server = await scriptedServer({ SendStreamingMessage: [broken], SubscribeToTask: rest }, withIds);
    const { events } = await lines(['send', 'Hi', '-a', server.url, ...quick]);
    expect(events).toHaveLength(10);
    expect(methods(server)).not.toContain('GetTask');
  });
});

describe('a call', () => {
  const replies = { GetTask: [is('COMPLETED')] };

  it('sends the protocol version, and the tenant if the interface has one', async () => {
    await using plain = await scriptedServer(replies);
    await using tenanted = await scriptedServer(replies, { tenant: 'acme' });
    for (const server of [plain, tenanted]) await run(['task', 'get', 't', '-a', server.url]);
    expect(plain.calls.map(({ params, headers }) => [params, headers['a2a-version']])).toEqual([[{ id: 't' }, '1.0']]);
    expect(plain.cardHeaders[0]?.['a2a-version']).toBe('1.0');
    expect(tenanted.calls[0]?.params).toEqual({ id: 't', tenant: 'acme' });
  });

  it.each([
    ['header', { 'x-own': 'sesame' }],
    ['cookie', { cookie: 'X-Own=sesame' }],
  ])('sends the key in a %s if the card says so, but not with the request for the card', async (location, headers) => {
    const scheme = { apiKeySecurityScheme: { location, name: 'X-Own' } };
    await using server = await scriptedServer(replies, { securitySchemes: { own: scheme } });
    const words = ['--svc-param', 'x-trace: 7', '--bearer', 'token'];
    await run(['task', 'get', 't', '-a', server.url, '--api-key', 'sesame', ...words]);
    expect(server.calls[0]?.headers).toMatchObject({ ...headers, 'x-trace': '7', authorization: 'Bearer token' });
    expect(JSON.stringify(server.cardHeaders)).not.toMatch(/sesame|token/);
  });

  it('sends the key in the query if the card says so, and logs it in no form', async () => {
    const scheme = { apiKeySecurityScheme: { location: 'query', name: 'key' } };
    await using server = await scriptedServer(replies, { securitySchemes: { own: scheme } });
    const { err } = await run(['task', 'get', 't', '-a', server.url, '--debug', '--api-key', 'open "sesame"/ö&1']);
    expect(err).toContain('?key=[hidden] ');
    expect(err).not.toContain('sesame');
  });

  it('prints the command for the next page of the same list, in which a token of the agent is one word', async () => {
    const nextPageToken = "a'$(id)";
    await using server = await scriptedServer({ ListTasks: [{ result: { tasks: [], nextPageToken } }] });
    const filter = ['--status', 'working', '--page-size', '5'];
    const { out } = await run(['task', 'list', '-a', server.url, ...filter, '--context-id', 'a b']);
    const same = `task list -a ${server.url} --context-id 'a b' --status TASK_STATE_WORKING --page-size 5`;
    expect(out).toContain(`Next: switchyard ${same} --page-token 'a'\\''$(id)'\n`);
  });

  it('warns about --insecure, and a second time if a credential is sent', async () => {
    await using server = await scriptedServer(replies);
    const { err } = await run(['task', 'get', 't', '-a', server.url, '--insecure', '--api-key', 'k']);
    expect(err.match(/^warning: --insecure/gm)).toHaveLength(2);
  });
});
