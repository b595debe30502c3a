/** Rows of two columns, as people read them. */
export function table(title: string, rows: readonly (readonly [what: string, value: string | number])[]): string {
  const width = Math.max(title.length, ...rows.map(([what]) => what.length));
  const values = rows.map(([, value]) => String(value));
  const valueWidth = Math.max(...values.map((value) => value.length), 6);
  const line = `${'─'.repeat(width + 2)}┼${'─'.repeat(valueWidth + 2)}`;
  const body = rows.map(([what], i) => ` ${what.padEnd(width)} │ ${values[i]?.padStart(valueWidth)}`);
  return [` ${title.padEnd(width)} │`, line, ...body].join('\n');
}

export interface Spread {
  readonly median: number;
  readonly worst: number;
}

/** @throws {Error} nothing was measured */
export function spreadOf(measured: readonly number[]): Spread {
  const sorted = [...measured].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const worst = sorted.at(-1);
  if (median === undefined || worst === undefined) throw new Error('nothing was measured');
  return { median, worst };
}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
