import type { StreamResponse } from '@switchyard/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../../tests/support/agent-that.ts';
import { RetryableError, type Turn } from '../../src/index.ts';
import { runTurn } from '../../src/testing/index.ts';

/** An event of a step: a status, or a chunk of one of two artifacts. */
type Word = { readonly kind: 'status' | 'A' | 'B'; readonly text: string };

const word: fc.Arbitrary<Word> = fc.record({
  kind: fc.constantFrom('status', 'A', 'B'),
  text: fc.string({ minLength: 1, maxLength: 3 }),
});

async function say(turn: Turn, words: readonly Word[]): Promise<void> {
  const artifacts = { A: turn.artifact({ name: 'A' }), B: turn.artifact({ name: 'B' }) };
  for (const { kind, text } of words) await (kind === 'status' ? turn.working(text) : artifacts[kind].append(text));
}

/** A step that is cut short after so many words, attempt after attempt, and then completes. */
async function speak(attempts: readonly { readonly words: readonly Word[]; readonly cut?: number }[]) {
  const agent = agentThat(async (turn) => {
    await turn.step('speak', async () => {
      const { words = [], cut } = attempts[turn.attempt - 1] ?? {};
      await say(turn, words.slice(0, cut));
      if (cut !== undefined) throw new RetryableError('The worker died.');
    });
    return turn.complete();
  });
  return runTurn(agent, 'Speak', { maxAttempts: attempts.length });
}

const textsOf = (events: readonly StreamResponse[]) =>
  events.map(({ statusUpdate, artifactUpdate }) => {
    const text = (statusUpdate?.status.message ?? artifactUpdate?.artifact)?.parts[0]?.text;
    return [artifactUpdate?.artifact.artifactId, artifactUpdate?.append, text];
  });

describe('what a step publishes', () => {
  it('is published once, wherever the step is interrupted, if it is the same again', () =>
    fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 8 }), fc.array(fc.nat(8), { maxLength: 3 }), async (words, cuts) => {
        const whole = await speak([{ words }]);
        const cutShort = await speak([...cuts.map((cut) => ({ words, cut })), { words }]);
        const ids = new Map<unknown, string>();
        const named = (events: readonly StreamResponse[]) => {
          ids.clear();
          return textsOf(events).map(([id, ...rest]) => {
            if (id !== undefined && !ids.has(id)) ids.set(id, `artifact ${ids.size + 1}`);
            return [ids.get(id), ...rest];
          });
        };
        expect(named(cutShort.events)).toEqual(named(whole.events));
      }),
      { numRuns: 150 },
    ));

  it('leaves the artifacts of the last run, if they differ each time', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(word, { maxLength: 6 }), fc.nat(6)), { maxLength: 3 }),
        fc.array(word, { maxLength: 6 }),
        async (before, words) => {
          const { task } = await speak([...before.map(([earlier, cut]) => ({ words: earlier, cut })), { words }]);
          for (const kind of ['A', 'B'] as const) {
            const text = words.flatMap((one) => (one.kind === kind ? one.text : [])).join('');
            // An artifact that the last run does not mention stays as an earlier one left it.
            if (text !== '') expect(task.artifacts?.find(({ name }) => name === kind)?.parts).toEqual([{ text }]);
          }
        },
      ),
      { numRuns: 150 },
    ));
});
