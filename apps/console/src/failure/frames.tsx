import type { CodeFrame } from '@switchyard/operator-api';

/** A stack: the author's lines, and folded, those of others' code. */
export function Frames({ frames }: { readonly frames: readonly CodeFrame[] }) {
  const own = frames.filter(({ of }) => of === 'author');
  const others = frames.length - own.length;
  return (
    <div class="failure-stack">
      {own.length > 0 && <FrameList frames={own} />}
      {others > 0 && (
        <details>
          <summary>{own.length > 0 ? `Whole stack, with ${linesText(others)}` : `Stack: ${linesText(others)}`}</summary>
          <FrameList frames={frames} />
        </details>
      )}
    </div>
  );
}

const linesText = (count: number): string =>
  count === 1 ? '1 line of other code than the agent’s' : `${count} lines of other code than the agent’s`;

function FrameList({ frames }: { readonly frames: readonly CodeFrame[] }) {
  return (
    <ol>
      {frames.map(({ file, line, column, function: name, of }, i) => (
        <li key={i} class={of === 'author' ? 'mono' : 'mono faint'}>
          {name !== undefined && <b>{name} </b>}
          {file}:{line}:{column}
        </li>
      ))}
    </ol>
  );
}
