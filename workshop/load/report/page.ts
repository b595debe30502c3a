import { escaped } from '../../bench/charts/svg.ts';
import { flagOf } from '../options/words.ts';
import { ms } from './figures.ts';
import { picturesOf } from './pictures.ts';
import type { Report } from './report.ts';
import { type Table, tablesOf } from './tables.ts';
import { headline, remarksOn } from './text.ts';
import { tilesOf } from './tiles.ts';
import { percent } from './verdict.ts';

/** The report as one page that needs nothing else: no script, nothing fetched, light and dark. */
export function toPage(report: Report): string {
  const { profile, beganAt, verdict } = report;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(`Load test: ${profile}, ${beganAt}`)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Load test: ${escaped(profile)} <span class="${verdict.passed ? 'good' : 'bad'}">${verdict.passed ? 'passed' : 'failed'}</span></h1>
<p>${escaped(headline(report))}. ${escaped(beganAt)}. ${escaped(sentence(verdict.because))}</p>
${remarksOn(report)
  .map((remark) => `<p class="remark">${escaped(remark)}</p>`)
  .join('\n')}
<ul class="tiles">${tilesOf(report)
    .map(([what, value]) => `<li><b>${escaped(value)}</b>${escaped(what)}</li>`)
    .join('')}</ul>
${picturesOf(report)
  .map((picture) => `<figure>${picture}</figure>`)
  .join('\n')}
<div>${[...tablesOf(report), optionsIn(report)].map(tableOf).join('\n')}</div>
</main>
</body>
</html>
`;
}

function optionsIn({ options }: Report): Table {
  const rows = Object.entries(options).map(([field, value]) => [`--${flagOf(field)}`, asTyped(field, value)]);
  return { title: 'Options', head: ['', ''], rows };
}

function asTyped(field: string, value: unknown): string {
  if (typeof value !== 'number') return String(value);
  if (field.endsWith('Share')) return percent(value);
  return field.endsWith('Ms') ? ms(value) : String(value);
}

function tableOf({ title, head, rows }: Table): string {
  const cells = (row: readonly string[], tag: 'td' | 'th'): string =>
    `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  const top = head.some((cell) => cell !== '') ? `<thead>${cells(head, 'th')}</thead>` : '';
  const body = rows.map((row) => cells(row, 'td')).join('');
  return `<section${head.length > 4 ? ' class="wide"' : ''}><h2>${escaped(title)}</h2><table>${top}<tbody>${body}</tbody></table></section>`;
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

const style = `
:root{color-scheme:light dark;--paper:#fff;--desk:#f4f6f8;--ink:#1f2328;--faint:#59636e;--line:#d8dee4;--good:#1a7f50;--bad:#c2442d}
@media (prefers-color-scheme:dark){:root{--paper:#0d1117;--desk:#010409;--ink:#e6edf3;--faint:#9aa4af;--line:#30363d;--good:#3fb37f;--bad:#f0725a}}
body{margin:0;background:var(--desk);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:960px;margin:0 auto;padding:24px 16px 48px}
h1{font-size:24px;margin:0 0 8px}h1 span{font-size:13px;padding:3px 10px;border-radius:12px;color:var(--paper);vertical-align:middle}
h1 .good{background:var(--good)}h1 .bad{background:var(--bad)}
h2{font-size:15px;margin:0 0 8px}p{margin:0 0 12px;color:var(--faint)}
.remark{color:var(--ink);border-left:3px solid var(--line);padding-left:12px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(112px,1fr));gap:8px;list-style:none;margin:16px 0;padding:0}
.tiles li,figure,section{background:var(--paper);border:1px solid var(--line);border-radius:8px}
.tiles li{padding:10px 12px;color:var(--faint);font-size:13px}.tiles b{display:block;color:var(--ink);font-size:19px;font-variant-numeric:tabular-nums}
figure{margin:0 0 16px;padding:8px;overflow-x:auto}figure svg{display:block;width:100%;min-width:640px}
main>div{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(380px,100%),1fr));gap:16px}
section{padding:14px 16px;overflow-x:auto}.wide{grid-column:1/-1}
table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
td,th{padding:3px 0 3px 28px;text-align:right;white-space:nowrap;font-weight:400}th{color:var(--faint)}
td:first-child,th:first-child{text-align:left;padding-left:0}tr+tr td{border-top:1px solid var(--line)}`;
