import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { defineAgent, type FileSource, type Turn } from '../src/index.ts';
import { runTurn } from '../src/testing/index.ts';

const agentThat = (execute: (turn: Turn) => Promise<void>) =>
  defineAgent({
    id: 'filer',
    card: {
      ...{ name: 'Filer', description: 'Reads and writes files.', version: '1.0.0', skills: [] },
      defaultInputModes: ['*/*'],
    },
    async execute(turn) {
      await execute(turn);
      return turn.complete();
    },
  });

describe('turn.file', () => {
  it('opens a part of any form', async () => {
    const url = 'https://files.example/a';
    const parts = [
      { text: 'für' },
      { raw: Buffer.from('raw').toString('base64'), filename: 'a.bin', mediaType: 'image/png' },
      { data: { a: 1 } },
      { url },
    ];
    const read: unknown[] = [];
    const agent = agentThat(async (turn) => {
      for (const part of turn.message.parts) {
        const { stream, ...facts } = await turn.file(part);
        read.push([await text(stream), facts]);
      }
    });
    await runTurn(agent, { parts }, { files: { [url]: 'from afar' } });
    expect(read).toEqual([
      ['für', { sizeBytes: 4 }],
      ['raw', { sizeBytes: 3, filename: 'a.bin', mediaType: 'image/png' }],
      ['{"a":1}', { sizeBytes: 7 }],
      ['from afar', { sizeBytes: 9 }],
    ]);
  });

  it('says which file a test must give', async () => {
    const agent = agentThat(async (turn) => void (await turn.file({ url: 'https://files.example/b' })));
    const { state, task } = await runTurn(agent, 'Go');
    expect([state, JSON.stringify(task.status)]).toEqual([
      'TASK_STATE_FAILED',
      expect.stringContaining('https://files.example/b'),
    ]);
  });
});

describe('turn.inlineFiles', () => {
  const stranger = { url: 'https://files.example/b' };
  /** Calls the agent with a file of this deployment, and with the URL of another one. */
  const caller = defineAgent({
    ...{ id: 'writer', card: { name: 'Writer', description: 'Writes.', version: '1.0.0', skills: [] } },
    async execute(turn) {
      const part = await turn.artifact({ name: 'Report' }).file('content', { name: 'a.txt', mediaType: 'text/plain' });
      const reply = await turn.call('filer', { parts: [{ text: 'See' }, part, stranger] });
      return turn.complete(`${reply.state} ${reply.text}`);
    },
  });

  it('gives the content of files of this deployment, and leaves other parts alone', async () => {
    let parts: unknown;
    const agent = agentThat(async (turn) => {
      parts = await turn.inlineFiles(turn.message.parts);
    });
    await runTurn(caller, 'Go', { agents: [agent] });
    const content = { raw: 'Y29udGVudA==', filename: 'a.txt', mediaType: 'text/plain' };
    expect(parts).toEqual([{ text: 'See' }, content, stranger]);
  });

  it('refuses files that are too large together', async () => {
    const agent = agentThat(async (turn) => void (await turn.inlineFiles(turn.message.parts, 6)));
    const { answer } = await runTurn(caller, 'Go', { agents: [agent] });
    expect(answer).toBe(
      'TASK_STATE_FAILED With "a.txt" the files of the message have more than 6 bytes, the most that this agent takes.',
    );
  });
});

describe('artifact.file', () => {
  const sources: Record<string, () => FileSource> = {
    'a text': () => 'content',
    bytes: () => Buffer.from('content'),
    'a list of chunks': () => ['con', Buffer.from('tent')],
    'a web stream': () => new Blob(['content']).stream(),
    'a generator': async function* () {
      yield 'con';
      yield 'tent';
    },
  };

  it.each(Object.keys(sources))('stores %s, and adds its part', async (name) => {
    const agent = agentThat(async (turn) => {
      const artifact = turn.artifact({ name: 'Report' });
      await artifact.append('See: ');
      await artifact.file(sources[name]?.() ?? '', { name: 'a.txt', mediaType: 'text/plain' });
      await artifact.finish();
    });
    const { task, files } = await runTurn(agent, 'Go');
    const [first, part] = task.artifacts?.[0]?.parts ?? [];
    expect([first, part]).toEqual([{ text: 'See: ' }, { url: part?.url, filename: 'a.txt', mediaType: 'text/plain' }]);
    expect(Buffer.from(files.get(part?.url ?? '') ?? []).toString()).toBe('content');
  });

  it('is read again by another agent of the world', async () => {
    const reader = agentThat(async (turn) => {
      const [part] = turn.message.parts;
      if (part) turn.log.info((await buffer((await turn.file(part)).stream)).toString());
    });
    const writer = defineAgent({
      ...{ id: 'writer', card: { name: 'Writer', description: 'Writes.', version: '1.0.0', skills: [] } },
      async execute(turn) {
        const part = await turn.artifact({ name: 'Report' }).file('content');
        const reply = await turn.call('filer', part);
        return turn.complete(reply.state);
      },
    });
    const { task } = await runTurn(writer, 'Go', { agents: [reader] });
    expect(task.status.message?.parts).toEqual([{ text: 'TASK_STATE_COMPLETED' }]);
  });

  it('fails the turn with the error of its source, and stores nothing', async () => {
    const agent = agentThat(async (turn) => {
      const broken = (async function* () {
        yield 'half';
        throw new Error('the source broke');
      })();
      await turn.artifact({ name: 'Report' }).file(broken);
    });
    const { state, task, files } = await runTurn(agent, 'Go');
    expect([state, task.artifacts, files.size]).toEqual(['TASK_STATE_FAILED', undefined, 0]);
  });

  it('leaves a source that waits when the task is canceled', async () => {
    const agent = agentThat(async (turn) => {
      await turn.working('Begun');
      const endless = (async function* () {
        yield 'half';
        await new Promise(() => undefined);
      })();
      await turn.artifact({ name: 'Report' }).file(endless);
    });
    const { state, files } = await runTurn(agent, 'Go', { cancelAfter: 1 });
    expect([state, files.size]).toEqual(['TASK_STATE_CANCELED', 0]);
  });

  it('is refused after the end of the artifact, before anything is stored', async () => {
    const agent = agentThat(async (turn) => {
      const report = turn.artifact({ name: 'Report' });
      await report.finish('All is well.');
      await expect(report.file('content')).rejects.toThrow('is finished already');
    });
    expect((await runTurn(agent, 'Go')).files.size).toBe(0);
  });
});
