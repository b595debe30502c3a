/** Three significant digits. */
export function number(value: number): string {
  return Math.abs(value) >= 999.5 ? count(value) : String(Number(value.toPrecision(3)));
}

/** Milliseconds with three significant digits, or seconds from a thousand on. */
export function ms(value: number | undefined): string {
  if (value === undefined) return '–';
  if (value >= 1_000) return `${(value / 1_000).toFixed(value >= 10_000 ? 1 : 2)} s`;
  return `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ms`;
}

/** An integer, with commas. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export const rate = (value: number): string => `${number(value)}/s`;

export const mib = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`;

export function percent(share: number): string {
  const value = share * 100;
  return `${value === 0 || value >= 10 ? Math.round(value) : Number(value.toPrecision(2))} %`;
}

type Cell = string | number | undefined;

/** A Markdown table; an empty cell is a dash. */
export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [markdownRow(head), `|${head.map(() => '---|').join('')}`, ...rows.map(markdownRow)].join('\n');
}

export function markdownRow(cells: readonly Cell[]): string {
  const text = (cell: Cell): string => (typeof cell === 'number' ? number(cell) : (cell ?? '–'));
  return `| ${cells.map(text).join(' | ')} |`;
}

/** Aligned columns for a terminal: the first one to the left, the others to the right. */
export function textTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const isNamed = head.some((title) => title !== '');
  const lines = [...(isNamed ? [head] : []), ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const cells = (line: readonly string[]): string[] =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
  return lines.map((line) => `  ${cells(line).join('   ')}`.trimEnd()).join('\n');
}

/** Breaks a paragraph into lines of at most 120 columns, as in the docs. */
export const inLines = (text: string): string => text.replace(/(.{1,120})(?: |$)/g, '$1\n').trimEnd();

/**
 * Replaces the text of a page between `<!-- <name>: … -->` and `<!-- end of <name> -->`.
 * @throws {Error} the page has no such section
 */
export function withSection(page: string, name: string, content: string): string {
  const [begin] = page.match(new RegExp(`<!-- ${name}: [^>]* -->`)) ?? [];
  const from = page.indexOf(begin ?? '') + (begin?.length ?? 0);
  const to = page.indexOf(`<!-- end of ${name} -->`);
  if (!begin || to < from) throw new Error(`The page has no place for ${name}.`);
  return `${page.slice(0, from)}\n\n${content}\n\n${page.slice(to)}`;
}

/** The last line of a measurement with a limit; exit code 1 if it is missed. @param wanted what the limit applies to */
export function conclude(isHeld: boolean, wanted: string): void {
  process.stdout.write(isHeld ? 'held\n' : `not held: ${wanted}\n`);
  process.exitCode = isHeld ? 0 : 1;
}
