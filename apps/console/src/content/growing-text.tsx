import { useLayoutEffect, useRef } from 'preact/hooks';

/** A block takes no line more from here on: the browser need not lay out what is above again. */
const BLOCK_LENGTH = 4_000;

/** Text that only grows: what is new goes into the last text node, and nothing that is there is touched again. */
export function GrowingText({ text, isGrowing }: { readonly text: string; readonly isGrowing: boolean }) {
  const place = useRef<HTMLElement>(null);
  const written = useRef(0);
  useLayoutEffect(() => {
    const { current: element } = place;
    if (!element || text.length === written.current) return;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    for (const line of text.slice(written.current).split(/(?<=\n)/)) write(element, line);
    written.current = text.length;
    if (isGrowing && isAtEnd) element.scrollTop = element.scrollHeight;
  }, [text, isGrowing]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard.
    <section class={`growing-text${isGrowing ? ' is-growing' : ''}`} aria-label="Text" tabIndex={0} ref={place} />
  );
}

/** @param line or the beginning of one */
function write(element: HTMLElement, line: string): void {
  const last = element.lastElementChild?.firstChild;
  if (last instanceof Text && !(last.length > BLOCK_LENGTH && last.data.endsWith('\n'))) {
    last.appendData(line);
    return;
  }
  const block = document.createElement('div');
  block.append(document.createTextNode(line));
  element.append(block);
}
