import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { go } from '../app/route.ts';
import './split.css';

interface SplitProps {
  readonly list: ComponentChildren;
  /** The selected item; undefined: none, and a phone shows only the list. */
  readonly detail: ComponentChildren | undefined;
  /** Shown beside the list while nothing is selected. */
  readonly otherwise: ComponentChildren;
}

/** A list beside the selected item; a phone shows one of them. */
export function Split({ list, detail, otherwise }: SplitProps) {
  return (
    <div class={detail === undefined ? 'split' : 'split chosen'}>
      <div class="split-list">{list}</div>
      <div class="split-detail">{detail ?? otherwise}</div>
    </div>
  );
}

const steps: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** Whether the key is for something else than the list: a shortcut of the browser, or a text that is written. */
function isForOthers({ target, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || (target instanceof Element && target.closest('input, textarea, dialog') !== null);
}

/**
 * `j` and `k` move through the list, `Esc` returns to it. @param place path of the list; an item's path ends with its
 * id
 */
export function useSplitKeys(place: string, ids: readonly string[], chosenId: string | undefined): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isForOthers(event)) return;
      if (event.key === 'Escape') go(place);
      const step = steps[event.key];
      if (step === undefined) return;
      const at = chosenId === undefined ? -1 : ids.indexOf(chosenId);
      const next = ids[Math.min(ids.length - 1, Math.max(0, at + step))];
      if (next !== undefined) go(`${place}/${next}`, { replaces: true });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [place, ids.join(), chosenId]);
}
