import { visible } from '@switchyard/settings/terminal';

// The text format of the specification, section 11.2: a `Label: value` per line. Multi-line content is a block that
// begins with its label and ends at the first empty line.

/** Nothing if there is no value. */
export function field(label: string, value: string | number | undefined): string {
  if (value === undefined || value === '') return '';
  return `${label}: ${visible(String(value)).replaceAll('\n', '\\n').replaceAll('\t', ' ')}\n`;
}

/** Empty lines of the content get a space, because an empty line ends the block. */
export function block(label: string, content: string): string {
  return `${label}:\n${visible(content).replace(/\n$/, '').replaceAll(/^$/gm, ' ')}\n\n`;
}

/** Columns with the width of their content. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map((cell) => visible(cell).replaceAll(/[\n\t]/g, ' ')));
  const widths = head.map((title, at) => Math.max(title.length, ...clean.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [head, ...clean].map((cells) => `${line(cells)}\n`).join('');
}
