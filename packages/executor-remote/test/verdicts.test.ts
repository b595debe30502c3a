import { executeTurn, faultOf } from '@switchyard/agent/runtime';
import { MemoryPort } from '@switchyard/agent/testing';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { type Verdict, verdictOnCode, verdictOnFailure, verdictOnStatus } from '../src/answers/verdict.ts';
import { remoteExecutor } from '../src/index.ts';
import { type Answer, AnsweringAgent, type AnsweringAgentOptions, rpc } from './answering-agent.ts';

type Way = Pick<AnsweringAgentOptions, 'binding' | 'version' | 'streaming'>;

const ways: readonly Way[] = (['1.0', '0.3'] as const).flatMap((version) =>
  (['JSONRPC', 'HTTP+JSON'] as const).flatMap((binding) =>
    [true, false].map((streaming) => ({ binding, version, streaming })),
  ),
);

/** What becomes of a message: how often it was sent, the result, and what its client reads. */
async function send(answers: readonly Answer[], way: Way, other?: Answer) {
  await using agent = await new AnsweringAgent({ ...way, answers, ...(other && { other }) }).start();
  const port = new MemoryPort({ message: 'Two pizzas' });
  // An answer may take long on a busy machine.
  const requestTimeoutMs = answers.includes(silence) ? 300 : 20_000;
  // Several answers end with one after which nothing is repeated.
  const retryBudgetMs = answers.length > 1 ? 60_000 : 900;
  const settings = { cardUrl: agent.cardUrl, pollEveryMs: 5, retryBudgetMs, idleTimeoutMs: 60, requestTimeoutMs };
  const result = await executeTurn(agentThat(remoteExecutor(settings)), port);
  const text = port.current.status.message?.parts[0]?.text ?? '';
  const error = 'error' in result ? result.error : undefined;
  return { sent: agent.messages, kind: result.kind, text, error };
}

const status =
  (code: number, headers = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end('<html>No</html>');
const body =
  (content: string, type = 'application/json'): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': type }).end(content);
const error =
  (code: number): Answer =>
  (response, request) =>
    void response.end(JSON.stringify(rpc(request, { error: { code, message: 'Boom' } })));
const cut: Answer = (response) => void response.destroy();
const silence: Answer = () => undefined;

describe.concurrent.each(ways)('a message over $binding $version, streaming: $streaming', (way) => {
  const isRpc = way.binding === 'JSONRPC';

  it.each([301, 302, 307, 400, 401, 403, 404, 405, 407, 410, 422, 501])(
    'that is answered with HTTP %i fails at once, and the text says so',
    async (code) => {
      const { sent, kind, text } = await send([status(code, { location: 'https://elsewhere.example/x' })], way);
      // An agent that cannot stream is asked again without.
      const isAskedAgain = way.streaming && (code === 405 || code === 501);
      expect({ sent, kind }).toEqual({ sent: isAskedAgain ? 2 : 1, kind: 'failed' });
      expect(text).toContain(`(HTTP ${code})`);
      expect(text).not.toContain('<html>');
    },
  );

  it.each([401, 403])('that is refused with HTTP %i and an error of A2A: operators get the status', async (code) => {
    const refused: Answer = (response, request) => {
      const error = { code: isRpc ? -32050 : code, message: 'Who are you?' };
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isRpc ? rpc(request, { error }) : { error }));
    };
    const { text, error } = await send([refused], way);
    expect(text).toContain('Who are you?');
    expect(faultOf(error).kind).toBe('remote-refused');
    expect(error).toHaveProperty('cause.status', code);
  });

  it.each([
    ['a page', body('<!doctype html><p>Sign in', 'text/html')],
    ['a page that claims to be JSON', body('<p>Sign in')],
    ['no body', body('')],
    ['text', body('OK')],
    ['half of JSON', body('{"jsonrpc":"2.0",')],
    ...(isRpc
      ? ([
          ['null', body('null')],
          ['a list', body('[]')],
          ['neither result nor error', body('{"jsonrpc":"2.0","id":1}')],
          ['a null error', (response, request) => void response.end(JSON.stringify(rpc(request, { error: null })))],
          ['a null result', (response, request) => void response.end(JSON.stringify(rpc(request, { result: null })))],
        ] satisfies [string, Answer][])
      : []),
  ] satisfies [string, Answer][])('that is answered with 200 and %s fails at once', async (_, answer) => {
    const { sent, kind, text } = await send([answer], way);
    expect({ sent, kind }).toEqual({ sent: 1, kind: 'failed' });
    expect(text).toContain('may have done its work');
  });

  it.each([500, 504, 520, 524])('that is answered with HTTP %i may be done, and is not repeated', async (code) => {
    const { sent, kind, text } = await send([status(code)], way);
    expect({ sent, kind }).toEqual({ sent: 1, kind: 'failed' });
    expect(text).toContain('may have done this already');
  });

  it('that has no answer in time may be done, and is not repeated', async () => {
    const { sent, kind, text } = await send([silence], way);
    expect({ sent, kind }).toEqual({ sent: 1, kind: 'failed' });
    expect(text).toContain('may have done this already');
  });

  it('whose connections break is repeated twice', async () => {
    const { sent, kind } = await send([cut], way);
    expect({ sent, kind }).toEqual({ sent: 3, kind: 'failed' });
  });

  it.each([408, 425, 429, 502, 503])('that is answered with HTTP %i is repeated', async (code) => {
    const { sent, kind } = await send([status(code), status(code), status(403)], way);
    expect({ sent, kind }).toEqual({ sent: 3, kind: 'failed' });
  });

  if (isRpc) {
    it('is not repeated after an internal error (-32603)', async () => {
      const { sent, text } = await send([error(-32603)], way);
      expect([sent, text]).toEqual([1, expect.stringContaining('Boom')]);
    });

    it('fails at once after any other error', async () => {
      expect((await send([error(-32000)], way)).sent).toBe(1);
      expect((await send([error(-32602)], way)).text).toBe('The remote agent refused: Boom');
    });
  }

  if (way.streaming) {
    it.each<[string, Answer]>([
      ['ends', (response) => void response.end()],
      ['breaks', (response) => void response.destroy()],
      ['is silent', () => undefined],
    ])('whose stream %s before its first event is not repeated', async (_, end) => {
      const answer: Answer = (response, request) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': hello\n\n', () => end(response, request));
      };
      const { sent, text } = await send([answer], way);
      expect([sent, text]).toEqual([1, expect.stringContaining('may have done this already')]);
    });
  }
});

it('a message that may be done is looked for where the agent lists its tasks, and continues', async () => {
  const way: Way = { binding: 'JSONRPC', version: '1.0', streaming: false };
  let messageId = '';
  const internal: Answer = (response, request) => {
    messageId = JSON.parse(request).params.message.messageId;
    response.writeHead(504).end();
  };
  const found: Answer = (response, request) => {
    const history = [{ messageId, role: 'ROLE_USER', parts: [{ text: 'Two pizzas' }] }];
    const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, history };
    const result = request.includes('ListTasks')
      ? { tasks: [task], nextPageToken: '', pageSize: 1, totalSize: 1 }
      : task;
    response.end(JSON.stringify(rpc(request, { result })));
  };
  expect(await send([internal], way, found)).toMatchObject({ sent: 1, kind: 'settled' });
});

describe('the table of verdicts', () => {
  it.each<[number, Verdict]>([
    [200, 'refused'],
    [301, 'refused'],
    [401, 'refused'],
    [404, 'refused'],
    [405, 'unsupported'],
    [408, 'unreachable'],
    [418, 'refused'],
    [425, 'unreachable'],
    [429, 'unreachable'],
    [500, 'unclear'],
    [501, 'unsupported'],
    [502, 'unreachable'],
    [503, 'unreachable'],
    [504, 'unclear'],
    [522, 'unreachable'],
    [524, 'unclear'],
    [999, 'refused'],
  ])('HTTP %i: %s', (code, verdict) => expect(verdictOnStatus(code).verdict).toBe(verdict));

  it.each<[number, Verdict]>([
    [-32001, 'lost'],
    [-32004, 'unsupported'],
    [-32601, 'unsupported'],
    [-32602, 'refused'],
    [-32603, 'unclear'],
    [-32700, 'refused'],
    [1, 'refused'],
  ])('JSON-RPC error %i: %s', (code, verdict) => expect(verdictOnCode(code)).toBe(verdict));

  it.each<[string, Verdict | undefined]>([
    ['ECONNREFUSED', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['CERT_HAS_EXPIRED', 'unreachable'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'unreachable'],
    ['ECONNRESET', 'broken'],
    ['UND_ERR_SOCKET', 'broken'],
    ['UND_ERR_HEADERS_TIMEOUT', 'unclear'],
    ['HPE_INVALID_CONSTANT', 'refused'],
    ['ERR_INVALID_URL', undefined],
  ])('%s: %s', (code, verdict) => expect(verdictOnFailure(code)).toBe(verdict));
});
