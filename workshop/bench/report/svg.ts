/** A size in the units of the picture, which scales with the page it is on. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Text that may stand between tags and in attributes. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** A picture that stands for itself: no script, nothing fetched, light and dark as the reader's screen is. */
export function picture(title: string, { width, height }: Size, shapes: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-label="${escaped(title)}" viewBox="0 0 ${width} ${height}">`,
    `<style>${theme}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...shapes,
    '</svg>\n',
  ].join('\n');
}

export interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Classes of the theme. */
  readonly style?: string;
}

export function label({ x, y, text, anchor = 'start', style = '' }: Label): string {
  const classes = style && ` class="${style}"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${classes}>${escaped(text)}</text>`;
}

export interface Line {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
  readonly style: string;
}

export function line({ from, to, style }: Line): string {
  return `<line x1="${round(from[0])}" y1="${round(from[1])}" x2="${round(to[0])}" y2="${round(to[1])}" class="${style}"/>`;
}

/** A tenth of a unit is finer than any screen. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The first four colours are told apart by people who see fewer of them, too (after Okabe and Ito). */
const theme = `
.chart{--paper:#fff;--ink:#1f2328;--faint:#59636e;--grid:#e4e8ec;--c0:#0072b2;--c1:#d55e00;--c2:#008a67;--c3:#a8508a;--good:#1a7f50;--bad:#c2442d;
font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:12px;font-variant-numeric:tabular-nums}
@media (prefers-color-scheme:dark){.chart{--paper:#0d1117;--ink:#e6edf3;--faint:#9aa4af;--grid:#262c34;--c0:#58b2ee;--c1:#f0883e;--c2:#3cc79b;--c3:#e39ac6;--good:#3fb37f;--bad:#f0725a}}
.chart text{fill:var(--ink)}.chart .paper{fill:var(--paper)}.chart .title{font-size:14px;font-weight:600}.chart .faint{fill:var(--faint)}
.chart .grid{stroke:var(--grid)}.chart .axis{stroke:var(--faint)}.chart .limit{stroke:var(--bad);stroke-dasharray:6 4}
.chart .good{fill:var(--good)}.chart .bad{fill:var(--bad)}.chart rect.good,.chart rect.bad{fill-opacity:.6}
.chart .curve{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.chart .meant{stroke:var(--faint);stroke-dasharray:2 5}.chart .dot{stroke-width:6}
.chart .wrong{stroke:var(--bad)}${[0, 1, 2, 3].map((n) => `.chart .s${n}{stroke:var(--c${n})}`).join('')}`;
