export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** What a direction of the picture means, and how values lie on it. */
export interface Axis {
  /** With its unit: `latency (ms)`. */
  readonly title: string;
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly Tick[];
  readonly isLogarithmic: boolean;
}

/** How far along the axis a value lies: 0 at its beginning, 1 at its end. */
export function share({ min, max, isLogarithmic }: Axis, value: number): number {
  const along = isLogarithmic ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
  return Math.min(1, Math.max(0, along));
}

/** From 0, unless told otherwise, to the next round number. */
export function linearAxis(title: string, values: readonly number[], { from = 0, steps = 5 } = {}): Axis {
  const most = largest(values);
  const step = roundStep((most - from || 1) / steps);
  const max = from + Math.max(1, Math.ceil((most - from) / step - 1e-9)) * step;
  const count = Math.round((max - from) / step);
  const ticks = Array.from({ length: count + 1 }, (_, i) => tickAt(from + i * step));
  return { title, min: from, max, ticks, isLogarithmic: false };
}

/** An axis that ends where its values do. */
export function exactAxis(title: string, values: readonly number[]): Axis {
  const axis = linearAxis(title, values, { steps: 10 });
  const max = largest(values) || axis.max;
  return { ...axis, max, ticks: axis.ticks.filter(({ at }) => at <= max) };
}

/** Logarithmic where small values would otherwise lie flat on the ground beside large ones; none may be 0 or less. */
export function spreadAxis(title: string, values: readonly number[]): Axis {
  const positive = values.filter((value) => value > 0);
  const [least, most] = [smallest(positive), largest(positive)];
  if (!positive.length || most / least < 30) return linearAxis(title, values);
  const min = 10 ** Math.floor(Math.log10(least));
  const decades = Math.ceil(Math.log10(most / min) - 1e-9);
  const steps = decades > 3 ? [1] : [1, 2, 5];
  const ticks = Array.from({ length: decades }, (_, decade) => steps.map((step) => min * step * 10 ** decade)).flat();
  const inside = ticks.findIndex((at) => at >= most);
  const shown = inside < 0 ? [...ticks, min * 10 ** decades] : ticks.slice(0, inside + 1);
  const max = shown.at(-1) ?? most;
  return { title: `${title}, logarithmic`, min, max, ticks: shown.map(tickAt), isLogarithmic: true };
}

/** 1, 2 or 5 times a power of ten, and not less. */
function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const step = [1, 2, 5, 10].find((one) => one * power >= atLeast * (1 - 1e-9)) ?? 10;
  return step * power;
}

/** At most three digits that matter, none that do not. */
function tickAt(at: number): Tick {
  const exact = Number(at.toPrecision(6));
  return { at: exact, label: exact.toLocaleString('en', { maximumSignificantDigits: 6 }) };
}

/** Not `Math.max(…)`, which takes only so many arguments. */
function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function smallest(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}
