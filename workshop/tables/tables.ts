import { number } from './figures.ts';

type Cell = string | number | undefined;

/** A table in Markdown; an empty cell is a dash. */
export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [markdownRow(head), `|${head.map(() => '---|').join('')}`, ...rows.map(markdownRow)].join('\n');
}

export function markdownRow(cells: readonly Cell[]): string {
  const text = (cell: Cell): string => (typeof cell === 'number' ? number(cell) : (cell ?? '–'));
  return `| ${cells.map(text).join(' | ')} |`;
}

/** Columns as people read them on a terminal: the first one begins on the left, figures end on the right. */
export function textTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const isNamed = head.some((title) => title !== '');
  const lines = [...(isNamed ? [head] : []), ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const cells = (line: readonly string[]): string[] =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
  return lines.map((line) => `  ${cells(line).join('   ')}`.trimEnd()).join('\n');
}
