import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isThorough } from '../../../tests/support/thorough.ts';
import type { ErrorBody, ErrorDetail } from './support/client.ts';
import { type Mutant, mutantsOf, type Path } from './support/mutation.ts';
import { openStage, type Stage } from './support/stage.ts';

let stage: Stage;
/** The agent accepts every kind of part, so that only the mutation can be the reason of a refusal. */
let url: string;

beforeAll(async () => {
  // A mutant may be valid, and must not wait for a worker.
  stage = await openStage({ gateway: { sendMode: 'immediate', blockingWaitMs: 1 } });
  url = `${stage.url}/agents/omnivore`;
});

afterAll(() => stage[Symbol.asyncDispose]());

const runs = isThorough ? 2_000 : 400;

const request = () => ({
  message: {
    messageId: 'replaced before it is sent',
    role: 'ROLE_USER',
    parts: [
      { text: 'hello', mediaType: 'text/plain', metadata: { a: 1 } },
      { data: { deep: [1, { two: null }] } },
      { raw: 'aGVsbG8=', filename: 'hello.txt' },
      { url: 'https://example.com/a.png' },
    ],
    metadata: { key: 'value' },
    extensions: ['https://example.com/extension'],
    referenceTaskIds: ['another-task'],
  },
  configuration: { acceptedOutputModes: ['text/plain'], historyLength: 3, returnImmediately: true },
  metadata: { trace: 'abc' },
});

const envelope = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: request() };

interface Outcome {
  readonly status: number;
  readonly body: Partial<ErrorBody> | undefined;
}

async function post(url: string, { value }: Mutant): Promise<Outcome> {
  // A new messageId makes each mutant its own message, unless the mutation is in the messageId.
  const body = (JSON.stringify(value) ?? '').replace('replaced before it is sent', randomUUID());
  const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** As errors name fields: `message.parts[0].text`. */
const nameOf = (path: Path): string =>
  path.reduce<string>(
    (name, step) => (typeof step === 'number' ? `${name}[${step}]` : name === '' ? step : `${name}.${step}`),
    '',
  );

const isAbout = (field: string, place: string): boolean => field.startsWith(place) || place.startsWith(field);

/** Expects a client error that names the mutated parameter. */
function expectHelpful({ status, body }: Outcome, place: string): void {
  expect(status).toBeLessThan(500);
  const error = body?.error;
  if (!error) return;
  const details: readonly ErrorDetail[] = error.details ?? error.data ?? [];
  expect(details[0]).toMatchObject({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: expect.any(String) });
  expect(error.message).toEqual(expect.any(String));
  const reason = details[0]?.reason;
  if (reason === 'TASK_NOT_FOUND' || reason === 'PARSE_ERROR') return;
  const fields = details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));
  expect(fields.filter((field) => isAbout(field, place) || field === 'body' || field === '(root)')).not.toHaveLength(0);
}

describe(`${runs} bad requests made from a valid one`, () => {
  it('get a client error that names the wrong field over REST', async () => {
    await fc.assert(
      fc.asyncProperty(mutantsOf(request()), async (mutant) => {
        expectHelpful(await post(`${url}/message:send`, mutant), nameOf(mutant.path));
      }),
      { numRuns: runs },
    );
  });

  it('get a client error that names the wrong field over JSON-RPC', async () => {
    await fc.assert(
      fc.asyncProperty(mutantsOf(envelope), async (mutant) => {
        const [first, ...rest] = mutant.path;
        expectHelpful(await post(url, mutant), nameOf(first === 'params' ? rest : mutant.path));
      }),
      { numRuns: runs },
    );
  });

  it('get a client error if their text is truncated or garbled', async () => {
    const valid = JSON.stringify(request());
    const garbled = fc
      .tuple(fc.nat(valid.length), fc.nat(5), fc.string({ unit: 'binary' }))
      .map(([at, gone, put]) => valid.slice(0, at) + put + valid.slice(at + gone));
    await fc.assert(
      fc.asyncProperty(garbled, async (text) => {
        const init = { method: 'POST', body: text, headers: { 'content-type': 'application/json' } };
        for (const target of [`${url}/message:send`, url]) {
          const response = await fetch(target, init);
          expect(response.status).toBeLessThan(500);
          expect(JSON.parse(await response.text())).toBeTypeOf('object');
        }
      }),
      { numRuns: 400 },
    );
  });
});
