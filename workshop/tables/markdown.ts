type Cell = string | number | undefined;

/** A table in Markdown; an empty cell is a dash. */
export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [markdownRow(head), `|${head.map(() => '---|').join('')}`, ...rows.map(markdownRow)].join('\n');
}

export function markdownRow(cells: readonly Cell[]): string {
  const text = (cell: Cell): string => (typeof cell === 'number' ? number(cell) : (cell ?? '–'));
  return `| ${cells.map(text).join(' | ')} |`;
}

/** Three digits that matter. */
export function number(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}
