/**
 * A picture that stands for itself: no script, nothing fetched, light and dark as the reader's screen is. Classes: `faint`,
 * `axis`, `good`, `bad`, and `a` to `d` for lines of a chart.
 */
export function svg(title: string, [width, height]: readonly [number, number], content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-label="${title}" viewBox="0 0 ${width} ${height}">`,
    `<style>${theme}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...content,
    '</svg>\n',
  ].join('\n');
}

export type Attributes = Readonly<Record<string, string | number>>;

const attributesOf = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? Number(value.toFixed(1)) : escaped(value)}"`)
    .join('');

export const text = (words: string, attributes: Attributes): string =>
  `<text${attributesOf(attributes)}>${escaped(words)}</text>`;

export const shape = (name: 'rect' | 'line' | 'polyline' | 'circle', attributes: Attributes): string =>
  `<${name}${attributesOf(attributes)}/>`;

const escaped = (words: string): string =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const theme = `
.chart{--paper:#fff;--ink:#1f2328;--faint:#59636e;--good:#1a7f50;--bad:#c2442d;--a:#1a7f50;--b:#8250df;--c:#c2442d;--d:#59636e;
font-family:system-ui,-apple-system,"Segoe UI",sans-serif;font-size:12px;font-variant-numeric:tabular-nums}
@media (prefers-color-scheme:dark){.chart{--paper:#0d1117;--ink:#e6edf3;--faint:#9aa4af;--good:#3fb37f;--bad:#f0725a;
--a:#3fb37f;--b:#b692f6;--c:#f0725a;--d:#9aa4af}}
.chart text{fill:var(--ink)}.chart .paper{fill:var(--paper)}.chart .faint{fill:var(--faint)}
.chart .axis{stroke:var(--faint);stroke-opacity:.5}.chart rect.good,.chart rect.bad{fill-opacity:.6}
.chart .good{fill:var(--good)}.chart .bad{fill:var(--bad)}
.chart polyline{fill:none;stroke-width:2}.chart .d{stroke-dasharray:4 3}
.chart polyline.a{stroke:var(--a);stroke-width:3}.chart polyline.b{stroke:var(--b)}
.chart polyline.c{stroke:var(--c)}.chart polyline.d{stroke:var(--d)}
.chart circle.a{fill:var(--a)}.chart circle.b{fill:var(--b)}.chart circle.c{fill:var(--c)}.chart circle.d{fill:var(--d)}`;
