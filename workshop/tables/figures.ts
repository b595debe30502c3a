/** Three digits that matter. */
export function number(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}

/** Milliseconds as they are read: three digits that matter, seconds beyond a thousand. */
export function ms(value: number | undefined): string {
  if (value === undefined) return '–';
  if (value >= 1_000) return `${(value / 1_000).toFixed(value >= 10_000 ? 1 : 2)} s`;
  return `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)} ms`;
}

/** A whole number, with commas. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Per second. */
export function rate(value: number): string {
  return `${value >= 100 ? count(value) : Number(value.toPrecision(3))}/s`;
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value === 0 || value >= 10 ? Math.round(value) : Number(value.toPrecision(2))} %`;
}
