// `npm run workshop fuzz`: sends generated input to a gateway of its own.

import { startRedis } from '../../tests/support/redis.ts';
import { count, readCommandLine } from '../options.ts';
import { mib } from '../tables.ts';
import { fuzzGateway } from './fuzz-gateway.ts';
import { Target } from './target/target.ts';

const { options } = readCommandLine({
  usage: `npm run workshop fuzz
  Sends requests that grammars generate, and mutations of those that reached new branches, to every binding of a
  gateway. Findings are a crash, a 5xx other than 503, gRPC INTERNAL or UNKNOWN, JSON-RPC -32603, a missing answer and
  an error in the log. They are minimized and written to workshop/fuzz/cases; the tests send them from then on.`,
  options: {
    requests: count('number of requests', '20000', ['1']),
    seed: count('seed of the requests', '1'),
  },
});

const redis = await startRedis();
try {
  await using target = await Target.open(redis.url);
  const begun = performance.now();
  const findings = await fuzzGateway(target, {
    ...options,
    keeps: true,
    onRound: ({ requests, branches, findings: found, heapBytes }) => {
      const perSecond = Math.round(requests / ((performance.now() - begun) / 1_000));
      const line = `${requests} requests (${perSecond}/s), ${branches} branches, ${found} findings, ${mib(heapBytes)}`;
      process.stderr.write(`${line}\n`);
    },
  });
  for (const { input, problem } of findings) process.stdout.write(`${problem}\n  ${JSON.stringify(input)}\n`);
  process.stdout.write(`${findings.length} findings\n`);
  process.exitCode = findings.length > 0 ? 1 : 0;
} finally {
  await redis.stop();
}
