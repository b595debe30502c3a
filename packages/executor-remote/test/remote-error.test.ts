import { TaskNotFoundError, UnsupportedOperationError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { A2AError } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { RemoteError } from '../src/remote-error.ts';

const failed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

describe('an error of a remote agent', () => {
  it.each([
    ['it cannot be connected to', failed('ECONNREFUSED'), 'unreachable', false],
    ['its connection breaks', failed('ECONNRESET'), 'unreachable', true],
    ['it does not know the task', new TaskNotFoundError(), 'lost', true],
    [
      'a stream says that it does not know the task',
      new Error('SSE', { cause: new TaskNotFoundError() }),
      'lost',
      true,
    ],
    ['it does not do that', new UnsupportedOperationError(), 'unsupported', true],
    ['it refuses', new VersionNotSupportedError(), 'refused', true],
    ['it answers something else', new A2AError('InvalidParams', 'no id'), 'refused', true],
    ['it is too busy', new RemoteError('unreachable', 'HTTP 503', { mayHaveArrived: false }), 'unreachable', false],
  ])('%s', (_, error, kind, mayHaveArrived) => {
    expect(RemoteError.from(error)).toMatchObject({ kind, mayHaveArrived });
  });
});
