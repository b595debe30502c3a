import { TaskNotFoundError, UnsupportedOperationError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { A2AError } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { RemoteError } from '../src/answers/remote-error.ts';

const failed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

describe('an error of a remote agent has its kind, and whether the message may have arrived', () => {
  it.each([
    ['the connection is refused', failed('ECONNREFUSED'), 'unreachable', false],
    ['the connection breaks', failed('ECONNRESET'), 'broken', true],
    ['the task is unknown', new TaskNotFoundError(), 'lost', true],
    ['the task is unknown to a stream', new Error('SSE', { cause: new TaskNotFoundError() }), 'lost', true],
    ['the operation is unsupported', new UnsupportedOperationError(), 'unsupported', true],
    ['the request is refused', new VersionNotSupportedError(), 'refused', true],
    ['the answer is not A2A', new A2AError('InvalidParams', 'no id'), 'refused', true],
    [
      'the agent is too busy',
      new RemoteError('unreachable', 'HTTP 503', { mayHaveArrived: false }),
      'unreachable',
      false,
    ],
  ])('%s', (_, error, kind, mayHaveArrived) => {
    expect(RemoteError.from(error)).toMatchObject({ kind, mayHaveArrived });
  });
});
