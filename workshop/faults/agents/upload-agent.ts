import { createHash } from 'node:crypto';
import { defineAgent } from '@switchyard/agent';
import { readText, TOKENS_OF_MESSAGE } from '../workload/scenario.ts';

/** Reads the file of its message, writes a copy, and says what it has read. A store of files may be away for long. */
export default defineAgent({
  id: 'upload-agent',
  concurrency: 20,
  retry: { attempts: 20 },
  card: {
    name: 'Upload agent',
    description: 'Copies files, for the fault suite.',
    version: '1.0.0',
    skills: [],
    defaultInputModes: ['*/*'],
    defaultOutputModes: ['*/*'],
  },
  async execute(turn) {
    await turn.usage({ model: 'scripted', key: turn.message.messageId, inputTokens: TOKENS_OF_MESSAGE });
    const part = turn.message.parts.find(({ url }) => url !== undefined);
    if (!part) return turn.fail('There is no file.');
    const hash = createHash('sha256');
    for await (const chunk of (await turn.file(part)).stream) hash.update(chunk);
    const { stream } = await turn.file(part);
    await turn.artifact({ name: 'Copy' }).file(stream, { name: `copy of ${part.filename}` });
    return turn.complete(readText(hash.digest('hex')));
  },
});
