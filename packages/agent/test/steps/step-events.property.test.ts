import type { StreamResponse } from '@switchyard/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../../tests/support/agent-that.ts';
import { RetryableError, type Turn } from '../../src/index.ts';
import { runTurn } from '../../src/testing/index.ts';

/** An event that a step publishes: a status, or a chunk of artifact A or B. */
type Publication = { readonly kind: 'status' | 'A' | 'B'; readonly text: string };

const publication: fc.Arbitrary<Publication> = fc.record({
  kind: fc.constantFrom('status', 'A', 'B'),
  text: fc.string({ minLength: 1, maxLength: 3 }),
});

async function publish(turn: Turn, publications: readonly Publication[]): Promise<void> {
  const artifacts = { A: turn.artifact({ name: 'A' }), B: turn.artifact({ name: 'B' }) };
  for (const { kind, text } of publications) {
    await (kind === 'status' ? turn.working(text) : artifacts[kind].append(text));
  }
}

/** Runs a step whose attempts crash after `cut` events; an attempt without `cut` completes. */
async function runStep(attempts: readonly { readonly events: readonly Publication[]; readonly cut?: number }[]) {
  const agent = agentThat(async (turn) => {
    await turn.step('publish', async () => {
      const { events = [], cut } = attempts[turn.attempt - 1] ?? {};
      await publish(turn, events.slice(0, cut));
      if (cut !== undefined) throw new RetryableError('The worker crashed.');
    });
    return turn.complete();
  });
  return runTurn(agent, 'Publish', { maxAttempts: attempts.length });
}

const textsOf = (events: readonly StreamResponse[]) =>
  events.map(({ statusUpdate, artifactUpdate }) => {
    const text = (statusUpdate?.status.message ?? artifactUpdate?.artifact)?.parts[0]?.text;
    return [artifactUpdate?.artifact.artifactId, artifactUpdate?.append, text];
  });

const publications = (maxLength: number) => fc.array(publication, { maxLength });

describe('the events of a step', () => {
  it('are published once, wherever its attempts crash, if every attempt publishes the same', () =>
    fc.assert(
      fc.asyncProperty(publications(8), fc.array(fc.nat(8), { maxLength: 3 }), async (events, cuts) => {
        const whole = await runStep([{ events }]);
        const crashed = await runStep([...cuts.map((cut) => ({ events, cut })), { events }]);
        const ids = new Map<unknown, string>();
        const withNumberedIds = (published: readonly StreamResponse[]) => {
          ids.clear();
          return textsOf(published).map(([id, ...rest]) => {
            if (id !== undefined && !ids.has(id)) ids.set(id, `artifact ${ids.size + 1}`);
            return [ids.get(id), ...rest];
          });
        };
        expect(withNumberedIds(crashed.events)).toEqual(withNumberedIds(whole.events));
      }),
      { numRuns: 150 },
    ));

  it('leave the artifacts of the last attempt, if every attempt publishes something else', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(publications(6), fc.nat(6)), { maxLength: 3 }),
        publications(6),
        async (before, last) => {
          const attempts = [...before.map(([events, cut]) => ({ events, cut })), { events: last }];
          const { task } = await runStep(attempts);
          for (const kind of ['A', 'B'] as const) {
            const text = last.flatMap((one) => (one.kind === kind ? one.text : [])).join('');
            // An artifact that the last attempt does not write stays as an earlier one left it.
            if (text !== '') expect(task.artifacts?.find(({ name }) => name === kind)?.parts).toEqual([{ text }]);
          }
        },
      ),
      { numRuns: 150 },
    ));
});
