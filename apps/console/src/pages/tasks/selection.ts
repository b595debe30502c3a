import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { go, taskPath } from '../../app/route.ts';
import type { TaskList } from './task-list.ts';

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

export interface Selection {
  /** Index of the current row, or -1. The row stays current when others are added before it. */
  readonly current: ReadonlySignal<number>;
  /** The row that must take the focus, so that screen readers announce it. */
  readonly focusId: ReadonlySignal<string | undefined>;
  readonly onFocused: () => void;
  /** Ids of the tasks that an action is for. */
  readonly chosen: ReadonlySignal<ReadonlySet<string>>;
  readonly toggle: (taskId: string) => void;
  readonly choose: (taskIds: readonly string[]) => void;
}

/** `j` and `k` move through the rows, `x` chooses one for an action, `Esc` chooses none. */
export function useSelection(list: TaskList): Selection {
  const currentId = useSignal<string | undefined>(undefined);
  const focusId = useSignal<string | undefined>(undefined);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const current = useComputed(() => list.rows.value.findIndex(({ taskId }) => taskId === currentId.value));
  const choose = (taskIds: readonly string[]): void => {
    chosen.value = new Set(taskIds);
  };
  const toggle = (taskId: string): void => {
    const next = new Set(chosen.value);
    if (!next.delete(taskId)) next.add(taskId);
    chosen.value = next;
  };
  // With the rows: a key that is pressed as soon as they are there counts.
  useLayoutEffect(() => {
    chosen.value = new Set();
    const move = (step: number): void => {
      currentId.value = list.rows.value[Math.max(0, current.value + step)]?.taskId ?? currentId.value;
      focusId.value = currentId.value;
    };
    const ofCurrent: Readonly<Record<string, (taskId: string) => void>> = {
      x: toggle,
      Enter: (id) => go(taskPath(id)),
    };
    /** @returns whether the current row had something to do */
    const actOnRow = (event: KeyboardEvent): boolean => {
      // The row's link opens it, unless the focus is still on its way there.
      if (event.key === 'Enter' && focusId.value === undefined && isOnControl(event)) return false;
      const { value: taskId } = currentId;
      const act = ofCurrent[event.key];
      if (taskId !== undefined) act?.(taskId);
      return act !== undefined && taskId !== undefined;
    };
    const onKey = (event: KeyboardEvent): void => {
      if (isForAnother(event)) return;
      if (event.key === 'Escape') choose([]);
      const step = steps[event.key];
      if (step !== undefined) move(step);
      if (step !== undefined || actOnRow(event)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [list]);
  const onFocused = (): void => {
    focusId.value = undefined;
  };
  return { current, focusId, onFocused, chosen, toggle, choose };
}

function isOnControl({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('a, button, input') !== null;
}

/** Keys of a field, a dialog or the browser. */
function isForAnother({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return true;
  return target.closest('input:not([type=checkbox]), textarea, select, dialog') !== null;
}
