import type { ComponentChildren } from 'preact';
import './split.css';

interface SplitProps {
  readonly list: ComponentChildren;
  /** Of the item that is chosen; undefined: none is, and on a phone the list alone is shown. */
  readonly detail: ComponentChildren | undefined;
  /** Beside the list while nothing is chosen. */
  readonly otherwise: ComponentChildren;
}

/** A list beside what is chosen of it; on a phone one of them. */
export function Split({ list, detail, otherwise }: SplitProps) {
  return (
    <div class={detail === undefined ? 'split' : 'split chosen'}>
      <div class="split-list">{list}</div>
      <div class="split-detail">{detail ?? otherwise}</div>
    </div>
  );
}
