import { setTimeout as delay } from 'node:timers/promises';
import type { Execute, PartContent } from '@switchyard/agent';

/** The kit reads a stream for 2 s before it subscribes again, and the task must still be running then. */
const longWorkMs = 5_000;

const link = { url: 'https://example.com/output.txt', filename: 'output.txt', mediaType: 'text/plain' };
const file = {
  raw: Buffer.from('Generated file content').toString('base64'),
  filename: 'output.txt',
  mediaType: 'text/plain',
};

const complete: Execute = (turn) => turn.complete('Hello from TCK');

/** By prefix of a message's id, as in the kit. */
const scenarios: Readonly<Record<string, Execute>> = {
  'tck-complete-task': complete,
  'tck-input-required': (turn) => turn.requireInput('What else should I know?'),
  'tck-reject-task': (turn) => turn.reject('rejected'),
  'tck-message-response': (turn) => turn.reply('Direct message response'),
  'tck-artifact-text': deliver('Generated text content'),
  'tck-artifact-file': deliver(file),
  'tck-artifact-file-url': deliver(link),
  'tck-artifact-data': deliver({ data: { key: 'value', count: 42 } }),
  'tck-stream-001': stream('Stream hello from TCK'),
  'tck-stream-002': (turn) => turn.complete(),
  'tck-stream-003': stream('Stream task lifecycle'),
  'tck-stream-ordering-001': stream('Ordered output'),
  'tck-stream-artifact-text': stream('Streamed text content'),
  'tck-stream-artifact-file': stream(file),
  'tck-stream-artifact-chunked': stream('chunk-1 ', 'chunk-2'),
  'test-resubscribe-message-id': async (turn) => {
    await turn.working();
    await delay(longWorkMs, undefined, { signal: turn.signal });
    return turn.complete();
  },
};

/** The longest matching prefix. Without a match the message is an ordinary one. */
const prefixes = Object.keys(scenarios).sort((a, b) => b.length - a.length);

export function scenarioOf(messageId: string): Execute {
  const prefix = prefixes.find((candidate) => messageId.startsWith(candidate));
  return (prefix !== undefined && scenarios[prefix]) || complete;
}

function deliver(content: PartContent): Execute {
  return async (turn) => {
    await turn.artifact({ name: 'Output' }).finish(content);
    return turn.complete();
  };
}

function stream(...chunks: readonly PartContent[]): Execute {
  return async (turn) => {
    await turn.working();
    const artifact = turn.artifact({ name: 'Output' });
    for (const chunk of chunks.slice(0, -1)) await artifact.append(chunk);
    await artifact.finish(chunks.at(-1));
    return turn.complete();
  };
}
