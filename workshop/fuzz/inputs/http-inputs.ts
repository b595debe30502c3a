import fc from 'fast-check';
import type { Input } from './input.ts';
import { legacyMethods, operations } from './objects.ts';
import { anything, ids, mostly, oddTexts } from './values.ts';

type Headers = Readonly<Record<string, string>>;

const headers = (version: string): fc.Arbitrary<Headers> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant({ 'content-type': 'application/json', 'a2a-version': version }) },
    {
      weight: 2,
      arbitrary: fc.record(
        {
          'content-type': fc.constantFrom(
            'application/json',
            'application/a2a+json; charset=utf-8',
            'text/plain',
            'x',
            '',
          ),
          'a2a-version': fc.constantFrom(
            '1.0',
            '0.3',
            '1',
            '1.0.1',
            '2.0',
            '',
            'x',
            '1.0, 0.3',
            '999999999999999999999',
          ),
          accept: fc.constantFrom('text/event-stream', '*/*', 'application/json;q=x', ',,;;', ''),
          'accept-encoding': fc.constantFrom('gzip', 'br;q=0', 'x', '*'),
          'content-encoding': fc.constantFrom('gzip', 'deflate', 'br', 'x', 'identity, gzip'),
          'a2a-extensions': fc.constantFrom('https://example.com/e', ',', 'x,,y', 'x'.repeat(4_000)),
          'last-event-id': fc.constantFrom('1', '-1', '0', 'x', '1-1', '99999999999999999999', 'a:b:c', '1:2'),
          'if-none-match': fc.constantFrom('*', '"1"', 'W/"x"', '"', 'x'.repeat(500)),
          prefer: fc.constantFrom('wait=0', 'wait=-1', 'wait=x', 'respond-async', 'wait=0.5', ';;', 'wait=0, wait=1'),
          traceparent: fc.constantFrom('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x', '00-0-0-0'),
          authorization: fc.constantFrom('Bearer x', 'Basic Og==', 'Bearer', ''),
          origin: fc.constantFrom('null', 'https://evil.example', 'x'),
        },
        { requiredKeys: [] },
      ),
    },
  );

/** What stands for a text that is no JSON. */
const bodyOf = (value: unknown): string => JSON.stringify(value) ?? '';
const broken = fc
  .tuple(anything, fc.nat(40), oddTexts)
  .map(([value, at, put]) => `${bodyOf(value).slice(0, at)}${put}${bodyOf(value).slice(at + 1)}`);
const body = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 15, arbitrary: mostly(usual).map(bodyOf) }, { weight: 1, arbitrary: broken });

const base = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('/agents/echo', '/agents/nobody', '/echo', '/agents/echo/echo', '/agents/%2F'),
  },
);

function jsonRpc(methods: Readonly<Record<string, fc.Arbitrary<unknown>>>, version: string): fc.Arbitrary<Input> {
  const id = mostly(fc.oneof(fc.integer(), fc.uuid()));
  const envelope = fc
    .constantFrom(...Object.entries(methods))
    .chain(([method, params]) =>
      fc.record(
        { jsonrpc: mostly(fc.constant('2.0')), id, method: mostly(fc.constant(method)), params: mostly(params) },
        { requiredKeys: ['jsonrpc', 'method', 'params'] },
      ),
    );
  const batch = fc.array(envelope, { maxLength: 3 });
  const either = fc.oneof({ weight: 20, arbitrary: envelope }, { weight: 1, arbitrary: batch });
  return fc
    .tuple(base, headers(version), body(either))
    .map(([at, given, text]): Input => ({ kind: 'http', method: 'POST', path: at || '/', headers: given, body: text }));
}

const segment = fc.oneof({ weight: 4, arbitrary: ids }, { weight: 1, arbitrary: oddTexts }).map(encoded);
const queryNames = [
  'pageSize',
  'pageToken',
  'contextId',
  'status',
  'historyLength',
  'currentGeneration',
  'timelineLength',
  'statusTimestampAfter',
  'tenant',
];
const query = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...queryNames, 'includeArtifacts'), oddTexts), oddTexts), {
        maxLength: 4,
      })
      .map((pairs) => `?${pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`),
  },
);

/** A path, and the operation whose parameters are its body. */
const restPaths: fc.Arbitrary<readonly [verb: string, path: string, operation: string]> = fc
  .tuple(segment, segment)
  .chain(([id, other]) =>
    fc.constantFrom(
      ['POST', '/message:send', 'SendMessage'],
      ['POST', '/message:stream', 'SendStreamingMessage'],
      ['GET', `/tasks/${id}`, ''],
      ['GET', '/tasks', ''],
      ['POST', `/tasks/${id}:cancel`, 'CancelTask'],
      ['POST', `/tasks/${id}:subscribe`, 'SubscribeToTask'],
      ['GET', `/tasks/${id}:subscribe`, ''],
      ['POST', `/tasks/${id}/pushNotificationConfigs`, 'CreateTaskPushNotificationConfig'],
      ['GET', `/tasks/${id}/pushNotificationConfigs`, ''],
      ['GET', `/tasks/${id}/pushNotificationConfigs/${other}`, ''],
      ['DELETE', `/tasks/${id}/pushNotificationConfigs/${other}`, ''],
      ['DELETE', `/tasks/${id}`, ''],
      ['GET', '/extendedAgentCard', ''],
      ['GET', '/.well-known/agent-card.json', ''],
      ['GET', `/conversations/${id}`, ''],
      ['GET', `/conversations/${id}/events`, ''],
      ['GET', '/agents', ''],
      ['GET', `/${id}`, ''],
    ),
  );

function rest(prefix: string, version: string): fc.Arbitrary<Input> {
  const verbs = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS');
  return fc
    .tuple(base, restPaths, query, headers(version), fc.nat(15), verbs)
    .chain(([at, place, asked, given, dice, odd]) => {
      const [verb, path, operation] = place;
      const params = operations[operation];
      const method = dice === 0 ? odd : verb;
      const whole = { kind: 'http', method, path: `${at}${prefix}${path}${asked}`, headers: given } as const;
      return params && method === 'POST'
        ? body(params).map((text): Input => ({ ...whole, body: text }))
        : fc.constant<Input>(whole);
    });
}

/** A client's own library refuses other characters in a path; what is sent raw has them. */
function encoded(text: string): string {
  return text
    .toWellFormed()
    .slice(0, 2_000)
    .replace(/[^\w.~:*'()%-]/gu, encodeURIComponent);
}

export const httpInputs = {
  jsonrpc: fc.oneof(jsonRpc(operations, '1.0'), jsonRpc(operations, '1.1')),
  rest: fc.oneof(rest('', '1.0'), rest('', '1.1')),
  'jsonrpc-v0.3': jsonRpc(legacyMethods, '0.3'),
  'rest-v0.3': rest('/v1', '0.3'),
} as const satisfies Readonly<Record<string, fc.Arbitrary<Input>>>;

const methods = fc.constantFrom('GET', 'POST', 'DELETE', 'CONNECT', 'PRI', 'get', '', 'X'.repeat(100));
const lines = fc.constantFrom(
  ...[
    'Host: 127.0.0.1',
    'Host: a\r\nHost: b',
    'Host:',
    'Content-Length: 5',
    'Content-Length: 5, 5',
    'Content-Length: -1',
  ],
  ...[
    'Content-Length: 99999999999999999999',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: x',
  ],
  ...[
    'Content-Type: application/json',
    'Expect: 100-continue',
    'Connection: Upgrade',
    'Upgrade: h2c',
    'Connection: close',
  ],
  ...['X: \u0000', ' folded: 1', `X: ${'y'.repeat(20_000)}`, ':', 'é: é', 'X\t: 1', 'Trailer: X'],
);
const tails = fc.constantFrom(
  ...['', '{}', '5\r\nhello\r\n0\r\n\r\n', 'ffffffffffffffff\r\n', '-1\r\n', '0\r\nX: 1\r\n\r\n', 'hello'],
);

/** What no client's library sends. */
export const rawInputs: fc.Arbitrary<Input> = fc
  .tuple(
    fc.oneof(methods, oddTexts),
    fc.oneof(fc.constantFrom('/', '/tasks', '*', 'http://x/', '//', '/%'), oddTexts),
    fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', ''),
    fc.array(lines, { maxLength: 6 }),
    fc.constantFrom('\r\n', '\n', '\r'),
    tails,
  )
  .map(([method, path, version, given, end, tail]): Input => {
    const head = [`${method} ${path.slice(0, 9_000)} ${version}`, ...given].join(end);
    return { kind: 'raw', bytes: Buffer.from(`${head}${end}${end}${tail}`, 'utf8').toString('base64') };
  });
