import { fileURLToPath } from 'node:url';
import { count, number, readCommandLine, word } from '../options.ts';
import { textTable } from '../tables.ts';
import { checkoutOf, previousCommit } from './previous-release.ts';
import { runUpgrade } from './run-upgrade.ts';

/** Progress on standard error, a table on standard output; exit code 1 if anything failed. */
const { options } = readCommandLine({
  usage: `npm run workshop upgrade [-- options]
  Gateways and workers of the previous release are replaced by those of this one under load, back, and again.`,
  options: {
    minutes: number('it starts again until this time is over; at least one pass', '1', ['0', '1440']),
    from: word('<commit>', 'default: that of tests/release/previous.json', [/^[0-9a-f]{7,40}$/, 'a commit']),
    clients: count('concurrent clients', '10'),
    seed: count('seed of the tasks', `${Date.now() % 100_000}`),
  },
});
const log = (line: string): void => void process.stderr.write(`${line}\n`);

const before = await checkoutOf(options.from ?? (await previousCommit()));
const after = fileURLToPath(new URL('../..', import.meta.url));
const report = await runUpgrade({ ...options, before, after, forMs: options.minutes * 60_000, log });
for (const { kind, what } of report.violations.slice(0, 20)) log(`${kind}: ${what}`);
for (const retry of report.failed.slice(0, 20)) log(JSON.stringify(retry));
process.stdout.write(
  `\n${textTable(
    [`${report.seconds} s, seed ${options.seed}`, ''],
    [
      ['tasks', report.tasks],
      ['of them open over all programs of a release', report.spanning],
      ['programs replaced', report.replaced],
      ['requests that failed', report.failed.length],
      ['requests that a proxy would have sent again', report.retried - report.failed.length],
      ['streams resumed', report.resumedStreams],
      ['tasks that were lost, or ended otherwise than without', report.violations.length],
      ['what was left is migrated', report.isMigrated ? 'yes' : 'no'],
      ['longest pause between two answers', `${report.worstPauseMs} ms`],
    ],
  )}\n`,
);
if (report.violations.length + report.failed.length > 0 || !report.isMigrated) process.exitCode = 1;
