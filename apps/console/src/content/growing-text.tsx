import { useLayoutEffect, useRef } from 'preact/hooks';

/** Maximum size of a block: only the last block is laid out again. */
const BLOCK_LENGTH = 4_000;

/** Text that is only appended to: new text goes into the last text node, and the rest stays unchanged. */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard.
    <section class={`growing-text${isGrowing ? ' is-growing' : ''}`} aria-label="Text" tabIndex={0} ref={place} />
  );
}

/** @param line or its beginning */
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
