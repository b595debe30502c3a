/** Entries of one object or array that are shown at once. */
const SHOWN = 200;

interface DataTreeProps {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
}

/** JSON as a tree with collapsible branches. */
export function DataTree({ value, name, depth = 0 }: DataTreeProps) {
  const key = name === undefined ? null : <span class="data-key">{name}</span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div class="data-leaf">
        {key}
        <span class={`data-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</span>
      </div>
    );
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details class="data-branch" open={depth < 2 && entries.length <= 30}>
      <summary>
        {key}
        <span class="data-size">{size}</span>
      </summary>
      {entries.slice(0, SHOWN).map(([each, inner]) => (
        <DataTree key={each} name={each} value={inner} depth={depth + 1} />
      ))}
      {entries.length > SHOWN && <div class="data-leaf data-size">and {entries.length - SHOWN} more</div>}
    </details>
  );
}
