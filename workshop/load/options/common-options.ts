import { z } from 'zod';
import { count, number, oneOf, percentage, time, word } from './quantities.ts';
import { optional, withDefault } from './words.ts';

/** What differs from profile to profile, as it would be typed. */
export interface CommonDefaults {
  readonly duration?: string;
  readonly rate: string;
  readonly connections: string;
}

export type CommonOptions = z.output<ReturnType<typeof commonOptions>>;

/** Options of every profile. Whatever could go on or grow for ever has a bound. */
export function commonOptions({ duration = '30s', rate, connections }: CommonDefaults) {
  return z.object({
    ...targetOptions,
    durationMs: withDefault(time('100ms', '60m'), { value: '<time>', what: 'for how long', fallback: duration }),
    rate: withDefault(number(0.1, 50_000), { value: '<n>', what: 'arrivals per second', fallback: rate }),
    connections: withDefault(count(1, 20_000), {
      value: '<n>',
      what: 'at most so many at once',
      fallback: connections,
    }),
    text: optional(word(/^.{1,100000}$/s, '1 to 100000 characters'), {
      value: '<text>',
      what: 'what is said to the agent',
    }),
    timeoutMs: withDefault(time('100ms', '10m'), {
      value: '<time>',
      what: 'what is not answered so long after it was due is an error',
      fallback: '10s',
    }),
    maxErrorRateShare: withDefault(percentage(), {
      value: '<percent>',
      what: 'with more errors than that the exit code is 1',
      fallback: '1%',
    }),
    warmUpMs: withDefault(time('0ms', '5m'), {
      value: '<time>',
      what: 'the same before, without being counted',
      fallback: '2s',
    }),
    settleMs: withDefault(time('0ms', '10m'), {
      value: '<time>',
      what: 'at the end, how long is asked what became of tasks that are open',
      fallback: '10s',
    }),
    seed: withDefault(count(0, 2 ** 32 - 1), { value: '<n>', what: 'the same seed, the same arrivals', fallback: '1' }),
    out: optional(z.string().min(1), { value: '<folder>', what: 'for report.json and report.html (.data/load/…)' }),
  });
}

const targetOptions = {
  url: optional(z.string().transform(readUrl), {
    value: '<url>',
    what: 'of a gateway, an agent or its card; without it an own gateway is started and ended',
  }),
  agent: optional(word(/^[\w.~-]{1,128}$/, 'the id of an agent'), {
    value: '<id>',
    what: 'one of the gateway at --url',
  }),
  binding: optional(oneOf('jsonrpc', 'rest'), {
    value: 'jsonrpc|rest',
    what: 'otherwise what the agent card prefers, or what the profile is about',
  }),
  apiKey: optional(z.string().min(1), {
    value: '<key>',
    what: 'or in LOAD_API_KEY, where no list of processes shows it',
  }),
  bearer: optional(z.string().min(1), { value: '<token>', what: 'or in LOAD_BEARER' }),
  allowHost: optional(word(/^[\w.:[\]-]+$/, 'the name of a host'), {
    value: '<host>',
    what: 'the one host beside this machine that you may put under load',
  }),
  workers: withDefault(count(1, 16), { value: '<n>', what: 'of the own gateway', fallback: '1' }),
};

function readUrl(text: string, context: z.RefinementCtx<string>): URL {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.search) return url;
  context.addIssue('must be a URL such as http://127.0.0.1:4000, without a name and a query');
  return z.NEVER;
}
