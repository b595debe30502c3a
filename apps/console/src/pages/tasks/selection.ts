import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { go, taskPath } from '../../app/route.ts';
import type { TaskList } from './task-list.ts';

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** The index of the row selected with `j` and `k`. The row stays selected when others are added before it. */
export function useSelection(list: TaskList): ReadonlySignal<number> {
  const selectedId = useSignal<string | undefined>(undefined);
  const index = useComputed(() => list.rows.value.findIndex(({ taskId }) => taskId === selectedId.value));
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const step = steps[event.key];
      if (isForAnother(event)) return;
      if (step !== undefined) selectedId.value = list.rows.value[Math.max(0, index.value + step)]?.taskId;
      if (event.key === 'Escape') selectedId.value = undefined;
      if (event.key === 'Enter') open(selectedId.value);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [list]);
  return index;
}

function open(taskId: string | undefined): void {
  if (taskId !== undefined) go(taskPath(taskId));
}

/** Keys of a field, a link, a dialog or the browser. */
function isForAnother({ target, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || (target instanceof Element && target.closest('input, a, button, dialog') !== null);
}
