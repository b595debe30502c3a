import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

const CHUNK_BYTES = 64 * 1024;

/**
 * New bytes each time: they count, if something holds them. `slowly` writes one of its chunks every 20 ms, so that a test
 * can kill the worker meanwhile.
 */
async function* zeros(bytes: number, isSlow: boolean): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; left -= CHUNK_BYTES) {
    if (isSlow) await delay(20);
    yield Buffer.alloc(Math.min(left, CHUNK_BYTES));
  }
}

/**
 * Reads every file of the message, and writes one: "1000 slowly" has so many zeros, "copy" is a copy of the first file.
 * Answers with the SHA-256 of what it has read.
 */
export default defineAgent({
  id: 'filer',
  card: {
    name: 'Filer',
    description: 'Reads and writes files.',
    version: '1.0.0',
    skills: [],
    defaultInputModes: ['*/*'],
    defaultOutputModes: ['*/*'],
  },
  retry: { attempts: 20 },
  async execute(turn) {
    const files = turn.message.parts.filter(({ text }) => text === undefined);
    const digests: string[] = [];
    for (const part of files) {
      const hash = createHash('sha256');
      for await (const chunk of (await turn.file(part)).stream) hash.update(chunk);
      digests.push(hash.digest('hex'));
    }
    const [amount = '', way] = turn.text.split(' ');
    const [first] = files;
    const written = turn.artifact({ name: 'Written' });
    if (amount === 'copy' && first) await written.file((await turn.file(first)).stream, { name: 'copy.bin' });
    if (/^\d+$/.test(amount)) await written.file(zeros(Number(amount), way === 'slowly'), { name: 'zeros.bin' });
    return turn.complete(digests.join(' '));
  },
});
