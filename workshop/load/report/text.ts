import { ms, rate } from './figures.ts';
import type { Report } from './report.ts';
import { tablesOf } from './tables.ts';

/** The report as it is printed. */
export function toText(report: Report): string {
  const tables = tablesOf(report).map(({ title, head, rows }) => `${title}\n${textTable(head, rows)}`);
  return [headline(report), ...tables, ...remarksOn(report), verdictIn(report)].join('\n\n');
}

function headline(report: Report): string {
  const { profile, target, seconds, requestsPerSecond, streams, events, isCutShort } = report;
  const where = target.url === undefined ? 'a gateway of its own' : target.url;
  const how = `${target.agent}, ${target.binding}`;
  const time = `${seconds.toFixed(1)} s${isCutShort ? ', cut short' : ''}`;
  const what = streams ? `${rate(events / seconds)} events received` : `${rate(requestsPerSecond)} requests answered`;
  return `${profile} on ${where} (${how}): ${time}, ${what}`;
}

/** What is to be known before the figures are believed. */
function remarksOn({ generator, options, ramp, tasks }: Report): string[] {
  const { bottleneck, connectionWaitP99 } = generator;
  const waits = `Requests waited up to ${ms(connectionWaitP99)} (p99) for one of ${options.connections} connections; that is part of their latency.`;
  return [
    ...(bottleneck.length > 0
      ? [
          `The generator itself could not keep up: ${bottleneck.join(', ')}. The target may be better than these figures.`,
        ]
      : []),
    ...(connectionWaitP99 >= 1 ? [waits] : []),
    ...(ramp ? [rampInWords(ramp)] : []),
    ...(tasks.unfinished > 0
      ? [`Of ${tasks.unfinished} accepted tasks the end was not seen; a longer --settle would ask on.`]
      : []),
  ];
}

function rampInWords({ highestThatHeld, lowestThatDidNot, maxLatencyMs }: NonNullable<Report['ramp']>): string {
  const limit = `99 of 100 answers within ${ms(maxLatencyMs)}`;
  if (highestThatHeld === undefined)
    return `No rate held (${limit}). Begin lower (--rate), or allow more (--max-latency).`;
  if (lowestThatDidNot === undefined)
    return `${rate(highestThatHeld)} held (${limit}), and nothing higher was tried: a longer --duration or a higher --peak finds the limit.`;
  return `The highest rate that held is ${rate(highestThatHeld)} (${limit}); ${rate(lowestThatDidNot)} did not hold.`;
}

function verdictIn({ verdict }: Report): string {
  return `${verdict.passed ? 'passed' : 'FAILED'}: ${verdict.because}`;
}

/** Columns as people read them: the first one begins on the left, figures end on the right. */
function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd();
  const isNamed = head.some((title) => title !== '');
  return [...(isNamed ? [head] : []), ...rows].map((row) => `  ${lineOf(row)}`).join('\n');
}
