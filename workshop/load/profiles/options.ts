import { count, mustBe, number, oneOf, optional, percentage, time, type ValuesOf, word } from '../../options.ts';

/** What differs from profile to profile, as it would be typed. */
export interface CommonDefaults {
  readonly duration?: string;
  readonly rate: string;
  readonly connections: string;
}

export type CommonOptions = ValuesOf<ReturnType<typeof commonOptions>>;

/** Options of every profile. Whatever could go on or grow for ever has a bound. */
export function commonOptions({ duration = '30s', rate, connections }: CommonDefaults) {
  return {
    ...targetOptions,
    durationMs: time({ what: 'for how long', fallback: duration }, '100ms', '60m'),
    rate: number({ what: 'arrivals per second', fallback: rate }, 0.1, 50_000),
    connections: count({ what: 'at most so many at once', fallback: connections }, 1, 20_000),
    text: optional(
      word({ value: '<text>', what: 'what is said to the agent' }, /^.{1,100000}$/s, '1 to 100000 characters'),
    ),
    timeoutMs: time(
      { what: 'what is not answered so long after it was due is an error', fallback: '10s' },
      '100ms',
      '10m',
    ),
    maxErrorRateShare: percentage({ what: 'with more errors than that the exit code is 1', fallback: '1%' }),
    warmUpMs: time({ what: 'the same before, without being counted', fallback: '2s' }, '0ms', '5m'),
    settleMs: time(
      { what: 'at the end, how long is asked what became of tasks that are open', fallback: '10s' },
      '0ms',
      '10m',
    ),
    seed: count({ what: 'the same seed, the same arrivals', fallback: '1' }, 0, 2 ** 32 - 1),
    out: optional(word({ value: '<folder>', what: 'for report.json (.data/load/…)' }, /./, 'a folder')),
  };
}

const targetOptions = {
  url: optional({
    value: '<url>',
    what: 'of a gateway, an agent or its card; without it an own gateway is started and ended',
    fallback: undefined,
    read: readUrl,
  }),
  agent: optional(
    word({ value: '<id>', what: 'one of the gateway at --url' }, /^[\w.~-]{1,128}$/, 'the id of an agent'),
  ),
  binding: optional(
    oneOf({ what: 'otherwise what the agent card prefers, or what the profile is about' }, 'jsonrpc', 'rest'),
  ),
  apiKey: optional(
    word({ value: '<key>', what: 'or in LOAD_API_KEY, where no list of processes shows it' }, /./, 'a key'),
  ),
  bearer: optional(word({ value: '<token>', what: 'or in LOAD_BEARER' }, /./, 'a token')),
  allowHost: optional(
    word(
      { value: '<host>', what: 'the one host beside this machine that you may put under load' },
      /^[\w.:[\]-]+$/,
      'the name of a host',
    ),
  ),
  workers: count({ what: 'of the own gateway', fallback: '1' }, 1, 16),
};

function readUrl(text: string): URL {
  const url = URL.parse(text);
  const isUsable = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.search;
  return isUsable ? url : mustBe('a URL such as http://127.0.0.1:4000, without a name and a query');
}
