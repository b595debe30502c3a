import { access } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/**
 * Writes the requested number of lines into an artifact, one every 10 ms: slow enough for a test to interfere. With
 * `<lines> until <file>` it writes the second half when there is this file.
 */
export default defineAgent({
  id: 'typist',
  card: { name: 'Typist', description: 'Writes the requested number of lines.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const [lines, file] = turn.text.split(' until ');
    const page = turn.artifact({ name: 'Page' });
    for (let line = 1; line <= Number(lines); line++) {
      if (file !== undefined && line > Number(lines) / 2) await untilExists(file, turn.signal);
      await page.append(`line ${line}\n`);
      await delay(10, undefined, { signal: turn.signal });
    }
    await page.finish();
    return turn.complete('Done');
  },
});

async function untilExists(file: string, signal: AbortSignal): Promise<void> {
  const exists = () =>
    access(file).then(
      () => true,
      () => false,
    );
  while (!(await exists())) await delay(50, undefined, { signal });
}
