import { useSignal } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import './virtual-list.css';

interface VirtualListProps<Row> {
  /** For screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowHeight: number;
  readonly keyOf: (row: Row) => string;
  readonly isSelected: (row: Row) => boolean;
  /** Scrolls to the row with this index, when it changes. */
  readonly shownIndex?: number;
  /** Key of the row whose link takes the focus, as soon as it is rendered. */
  readonly focusKey?: string | undefined;
  readonly onFocused?: () => void;
  /** The cells of a row, with the role `gridcell`. */
  readonly renderRow: (row: Row, index: number) => ComponentChildren;
  /** Called when the end of the list comes into view. */
  readonly onNearEnd?: () => void;
}

/** What is in its cells takes the focus. */
const rowAttributes = (index: number, isSelected: boolean) =>
  ({ role: 'row', 'aria-rowindex': index + 1, 'aria-selected': isSelected }) as const;
/** For the cells of a row. */
export const cell = { role: 'gridcell' } as const;
const overscan = 5;
/** Number of rows before the end at which more are requested. */
const nearEnd = 200;

/** A long list of rows of equal height, of which only the visible ones are rendered. */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { label, rows, rowHeight, keyOf, isSelected, shownIndex, focusKey, onFocused, renderRow, onNearEnd } = props;
  const frame = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer(frame, rows.length, rowHeight);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - nearEnd) onNearEnd?.();
  }, [last, rows.length]);
  useEffect(() => {
    if (shownIndex !== undefined && shownIndex >= 0) virtualizer.scrollToIndex(shownIndex);
  }, [shownIndex]);
  useEffect(() => {
    if (focusKey === undefined) return;
    const link = frame.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(focusKey)}"] a`);
    link?.focus({ preventScroll: true });
    if (link) onFocused?.();
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard.
    <section ref={frame} class="virtual-list" aria-label={label} tabIndex={0}>
      {/* biome-ignore lint/a11y/useSemanticElements: of a table, the rows that are not visible would be missing. */}
      <div
        role="grid"
        class="virtual-rows"
        aria-label={label}
        aria-rowcount={rows.length}
        aria-multiselectable="true"
        style={{ height: `${virtualizer.getTotalSize()}px` }}
      >
        {items.map(({ index, start }) => {
          const row = rows[index];
          const place = { height: `${rowHeight}px`, transform: `translateY(${start}px)` };
          return (
            row !== undefined && (
              <div
                key={keyOf(row)}
                {...rowAttributes(index, isSelected(row))}
                class="virtual-row"
                data-key={keyOf(row)}
                style={place}
              >
                {renderRow(row, index)}
              </div>
            )
          );
        })}
      </div>
    </section>
  );
}

function useVirtualizer(frame: { readonly current: HTMLDivElement | null }, count: number, rowHeight: number) {
  const moved = useSignal(0);
  const held = useRef<Virtualizer<HTMLDivElement, HTMLLIElement>>(null);
  const options = {
    count,
    overscan,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => {
      moved.value++;
    },
  };
  held.current ??= new Virtualizer<HTMLDivElement, HTMLLIElement>(options);
  const virtualizer = held.current;
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);
  // Reading it makes the component depend on it.
  void moved.value;
  return virtualizer;
}
