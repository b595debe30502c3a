import { problemText } from './api.ts';

/** How far an action for several things has come. */
export interface BulkState {
  readonly total: number;
  readonly done: number;
  /** What was refused: how often, by the reason. */
  readonly refused: ReadonlyMap<string, number>;
  readonly isDone: boolean;
}

const atOnce = 6;

/** Runs an action for each id, some at once; a refusal does not stop the others. Aborting leaves out the rest. */
export async function* runForEach(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
  signal: AbortSignal,
): AsyncGenerator<BulkState> {
  const refused = new Map<string, number>();
  const one = async (id: string): Promise<void> => {
    try {
      await act(id);
    } catch (error) {
      const why = problemText(error);
      refused.set(why, (refused.get(why) ?? 0) + 1);
    }
  };
  const total = ids.length;
  yield { total, done: 0, refused, isDone: total === 0 };
  for (let i = 0; i < total && !signal.aborted; i += atOnce) {
    const some = ids.slice(i, i + atOnce);
    await Promise.all(some.map(one));
    const done = i + some.length;
    yield { total, done, refused: new Map(refused), isDone: done === total };
  }
}
