import { setTimeout as delay } from 'node:timers/promises';
import { type Execute, type Outcome, RetryableError, type Turn } from '@switchyard/agent';

type Command = (turn: Turn, count: number) => Promise<Outcome>;

const commands: Readonly<Record<string, Command>> = {
  async stream(turn, count) {
    const artifact = turn.artifact({ name: 'Stream' });
    await artifact.pipe(chunks(count, turn.signal));
    await artifact.finish();
    return turn.complete();
  },

  async slow(turn, ms) {
    await turn.working('Taking my time');
    await delay(ms, undefined, { signal: turn.signal });
    return turn.complete('Done');
  },

  async retry(turn, count) {
    if (turn.attempt < count) throw new RetryableError(`It works from attempt ${count} on.`, { retryAfterMs: 50 });
    return turn.complete(`Done at attempt ${turn.attempt}`);
  },

  async crash() {
    throw new Error('The echo agent crashed, as it was told. This text must never reach a client.');
  },

  ask: (turn) => turn.requireInput('What shall I say?'),
  auth: (turn) => turn.requireAuth('May I? Any answer will do.'),
  message: (turn) => turn.reply('A message, and no task'),
  reject: (turn) => turn.reject('Rejected, as you asked.'),
  fail: (turn) => turn.fail('Failed, as you asked.'),
};

/** The command in a text, if the text is nothing else: a word, and a number if the command has one (default 1). */
export function commandIn(text: string): Execute | undefined {
  const [, word = '', count = '1'] = /^([a-z]+)(?: (\d{1,9}))?$/.exec(text.trim()) ?? [];
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  return command && ((turn) => command(turn, Number(count)));
}

function* chunks(count: number, signal: AbortSignal): Generator<string> {
  for (let number = 1; number <= count; number++) {
    signal.throwIfAborted();
    yield `chunk ${number}\n`;
  }
}
