import { number } from '../../bench/report/table.ts';

type Cell = string | number | undefined;

/** A table as Markdown has it. What there is nothing to say about is a dash. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]): string => `| ${cells.map(text).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

function text(cell: Cell): string {
  if (cell === undefined) return '–';
  return typeof cell === 'number' ? number(cell) : cell;
}

/** Bytes in the unit that leaves three digits at most. */
export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
  return `${number(count / 1_000 ** power)} ${units[power]}`;
}
