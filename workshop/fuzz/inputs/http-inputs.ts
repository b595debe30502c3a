import fc from 'fast-check';
import type { Input } from './input.ts';
import { legacyMethods, operations } from './objects.ts';
import { anything, extensionHeaders, type Fields, ids, mostly, oddTexts, oneOf, weighted } from './values.ts';

type Headers = Readonly<Record<string, string>>;

const oddHeaders = fc.record(
  {
    'content-type': oneOf('application/json|application/a2a+json; charset=utf-8|text/plain|x|'),
    'a2a-version': oneOf('1.0|0.3|1|1.0.1|2.0||x|1.0, 0.3|999999999999999999999'),
    accept: oneOf('text/event-stream|*/*|application/json;q=x|,,;;|'),
    'accept-encoding': oneOf('gzip|br;q=0|x|*'),
    'content-encoding': oneOf('gzip|deflate|br|x|identity, gzip'),
    ...extensionHeaders,
    'a2a-extensions': fc.oneof(
      extensionHeaders['a2a-extensions'],
      oneOf(`https://example.com/e|x,,y|${'x'.repeat(4_000)}`),
    ),
    'if-none-match': oneOf(`*|"1"|W/"x"|"|${'x'.repeat(500)}`),
    prefer: oneOf('wait=0|wait=-1|wait=x|respond-async|wait=0.5|;;|wait=0, wait=1'),
    traceparent: oneOf('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01|x|00-0-0-0'),
    authorization: oneOf('Bearer x|Basic Og==|Bearer|'),
    origin: oneOf('null|https://evil.example|x'),
  },
  { requiredKeys: [] },
);

const headers = (version: string): fc.Arbitrary<Headers> => {
  const usual: Headers = { 'content-type': 'application/json', 'a2a-version': version };
  return weighted<Headers>([6, fc.constant(usual)], [2, oddHeaders]);
};

/** JSON has no `undefined`. */
const bodyOf = (value: unknown): string => JSON.stringify(value) ?? '';
const broken = fc
  .tuple(anything, fc.nat(40), oddTexts)
  .map(([value, at, put]) => `${bodyOf(value).slice(0, at)}${put}${bodyOf(value).slice(at + 1)}`);
const body = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  weighted([15, mostly(usual).map(bodyOf)], [1, broken]);

const base = weighted(
  [5, fc.constant('')],
  [1, oneOf('/agents/echo|/agents/skilled|/agents/nobody|/echo|/agents/echo/echo|/agents/%2F')],
);

function jsonRpc(methods: Fields, version: string): fc.Arbitrary<Input> {
  const id = mostly(fc.oneof(fc.integer(), fc.uuid()));
  const envelope: fc.Arbitrary<unknown> = fc
    .constantFrom(...Object.entries(methods))
    .chain(([method, params]) =>
      fc.record(
        { jsonrpc: mostly(fc.constant('2.0')), id, method: mostly(fc.constant(method)), params: mostly(params) },
        { requiredKeys: ['jsonrpc', 'method', 'params'] },
      ),
    );
  const either = weighted([20, envelope], [1, fc.array(envelope, { maxLength: 3 })]);
  return fc
    .tuple(base, headers(version), body(either))
    .map(([at, given, text]): Input => ({ kind: 'http', method: 'POST', path: at || '/', headers: given, body: text }));
}

const segment = weighted([4, ids], [1, oddTexts]).map(encoded);
const queryNames = oneOf(
  'pageSize|pageToken|contextId|status|historyLength|currentGeneration|statusTimestampAfter|tenant|includeArtifacts',
);
const queries = fc.array(fc.tuple(fc.oneof(queryNames, oddTexts), oddTexts), { maxLength: 4 });
const query = weighted(
  [2, fc.constant('')],
  [1, queries.map((pairs) => `?${pairs.map((pair) => pair.map(encoded).join('=')).join('&')}`)],
);

/** A path, and the operation whose parameters are its body. */
const restPaths: fc.Arbitrary<readonly [verb: string, path: string, operation?: string]> = fc
  .tuple(segment, segment)
  .chain(([id, other]) =>
    fc.constantFrom(
      ['POST', '/message:send', 'SendMessage'],
      ['POST', '/message:stream', 'SendStreamingMessage'],
      ['GET', `/tasks/${id}`],
      ['GET', '/tasks'],
      ['POST', `/tasks/${id}:cancel`, 'CancelTask'],
      ['POST', `/tasks/${id}:subscribe`, 'SubscribeToTask'],
      ['GET', `/tasks/${id}:subscribe`],
      ['POST', `/tasks/${id}/pushNotificationConfigs`, 'CreateTaskPushNotificationConfig'],
      ['GET', `/tasks/${id}/pushNotificationConfigs`],
      ['GET', `/tasks/${id}/pushNotificationConfigs/${other}`],
      ['DELETE', `/tasks/${id}/pushNotificationConfigs/${other}`],
      ['DELETE', `/tasks/${id}`],
      ['GET', '/extendedAgentCard'],
      ['GET', '/.well-known/agent-card.json'],
      ['GET', `/conversations/${id}`],
      ['GET', `/conversations/${id}/events`],
      ['GET', '/agents'],
      ['GET', `/${id}`],
    ),
  );

function rest(prefix: string, version: string): fc.Arbitrary<Input> {
  const verbs = oneOf('GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS');
  return fc
    .tuple(base, restPaths, query, headers(version), fc.nat(15), verbs)
    .chain(([at, [verb, path, operation = ''], asked, given, dice, odd]) => {
      const params = operations[operation];
      const method = dice === 0 ? odd : verb;
      const whole = { kind: 'http', method, path: `${at}${prefix}${path}${asked}`, headers: given } as const;
      return params && method === 'POST'
        ? body(params).map((text): Input => ({ ...whole, body: text }))
        : fc.constant<Input>(whole);
    });
}

/** Client libraries refuse other characters in a path; raw inputs contain them. */
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

const methods = oneOf(`GET|POST|DELETE|CONNECT|PRI|get||${'X'.repeat(100)}`);
const lines = oneOf(
  [
    'Host: 127.0.0.1|Host: a\r\nHost: b|Host:|Content-Length: 5|Content-Length: 5, 5|Content-Length: -1',
    'Content-Length: 99999999999999999999|Transfer-Encoding: chunked|Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: x|Content-Type: application/json|Expect: 100-continue|Connection: Upgrade|Upgrade: h2c',
    `Connection: close|X: \u0000| folded: 1|X: ${'y'.repeat(20_000)}|:|é: é|X\t: 1|Trailer: X`,
  ].join('|'),
);
const tails = oneOf('|{}|5\r\nhello\r\n0\r\n\r\n|ffffffffffffffff\r\n|-1\r\n|0\r\nX: 1\r\n\r\n|hello');

/** Requests that no client library sends. */
export const rawInputs: fc.Arbitrary<Input> = fc
  .tuple(
    fc.oneof(methods, oddTexts),
    fc.oneof(oneOf('/|/tasks|*|http://x/|//|/%'), oddTexts),
    oneOf('HTTP/1.1|HTTP/1.0|HTTP/2.0|HTTP/9|'),
    fc.array(lines, { maxLength: 6 }),
    oneOf('\r\n|\n|\r'),
    tails,
  )
  .map(([method, path, version, given, end, tail]): Input => {
    const head = [`${method} ${path.slice(0, 9_000)} ${version}`, ...given].join(end);
    return { kind: 'raw', bytes: Buffer.from(`${head}${end}${end}${tail}`, 'utf8').toString('base64') };
  });
