import fc from 'fast-check';
import type { Input } from './input.ts';
import { ids, oddTexts } from './values.ts';

const methods = [
  ...['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask', 'Nothing'],
  ...['CreateTaskPushNotificationConfig', 'GetTaskPushNotificationConfig', 'ListTaskPushNotificationConfigs'],
  ...['DeleteTaskPushNotificationConfig', 'GetExtendedAgentCard'],
];

/** A number in base 128, as protobuf has it. */
function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, value);
  do {
    bytes.push(Number(left & 127n) | (left > 127n ? 128 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(bytes);
}

const key = (field: number, type: number): Buffer => varint((BigInt(field) << 3n) | BigInt(type));
const counted = (bytes: Buffer): Buffer => Buffer.concat([varint(BigInt(bytes.length)), bytes]);

const numbers = fc.oneof(fc.bigInt({ min: -1n, max: 130n }), fc.constantFrom(2n ** 31n, 2n ** 63n, 2n ** 64n - 1n));
const field = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 1, arbitrary: fc.nat(5_000) },
);
const oddBytes = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));

/** Any protobuf message: fields of every type, nested, and now and then bytes that are none. */
const { message } = fc.letrec<{ message: Buffer; one: Buffer }>((tie) => ({
  message: fc.array(tie('one'), { maxLength: 5 }).map((fields) => Buffer.concat(fields)),
  one: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.tuple(field, fc.oneof(ids, oddTexts)).map(([n, text]) => Buffer.concat([key(n, 2), counted(Buffer.from(text))])),
    fc.tuple(field, numbers).map(([n, value]) => Buffer.concat([key(n, 0), varint(value)])),
    fc.tuple(field, oddBytes).map(([n, bytes]) => Buffer.concat([key(n, 2), counted(bytes)])),
    fc
      .tuple(field, fc.constantFrom(1, 5))
      .map(([n, type]) => Buffer.concat([key(n, type), Buffer.alloc(type === 1 ? 8 : 4, 7)])),
    fc.tuple(field, fc.integer({ min: 3, max: 7 })).map(([n, type]) => key(n, type)),
    oddBytes,
    fc.tuple(field, tie('message')).map(([n, inner]) => Buffer.concat([key(n, 2), counted(inner)])),
  ),
}));

const textField = (n: number, text: string): Buffer => Buffer.concat([key(n, 2), counted(Buffer.from(text))]);

/** SendMessageRequest {message = 2 {message_id = 1, role = 4, parts = 5 {text = 1}}}, with any fields besides. */
const sendMessage = fc
  .tuple(fc.oneof(fc.uuid(), oddTexts), oddTexts, message, message, fc.bigInt({ min: 0n, max: 3n }))
  .map(([id, text, more, besides, role]) => {
    const part = Buffer.concat([key(5, 2), counted(textField(1, text))]);
    const inner = Buffer.concat([textField(1, id), key(4, 0), varint(role), part, more]);
    return Buffer.concat([key(2, 2), counted(inner), besides]);
  });
const withId = fc.tuple(ids, message).map(([id, besides]) => Buffer.concat([textField(2, id), besides]));

/** The message in its frame: five bytes, of which some lie. */
const frame = fc
  .tuple(
    fc.oneof(message, sendMessage, withId),
    fc.constantFrom(0, 0, 0, 0, 0, 1, 2, 255),
    fc.constantFrom(0, 0, 0, 0, 1, -1, 1e9),
    fc.nat(9),
  )
  .map(([bytes, flag, lie, dice]) => {
    const head = Buffer.from([flag, 0, 0, 0, 0]);
    head.writeUInt32BE(Math.max(0, bytes.length + lie), 1);
    const whole = Buffer.concat([head, bytes]);
    return dice === 0 ? Buffer.concat([whole, whole]) : dice === 1 ? whole.subarray(0, -1) : whole;
  });

const headers = fc.record(
  {
    'content-type': fc.constantFrom('application/grpc', 'application/grpc+proto', 'application/json', 'x'),
    'grpc-encoding': fc.constantFrom('identity', 'gzip', 'deflate', 'x'),
    'grpc-timeout': fc.constantFrom('1S', '0n', '99999999H', '-1S', 'x', '123456789S', '1m'),
    'a2a-version': fc.constantFrom('1.0', '1.1', '1.1', '0.3', 'x', ''),
    'a2a-agent': fc.constantFrom('echo', 'nobody', '__proto__'),
    'a2a-extensions': fc.constantFrom('x', ','),
    'trace-bin': fc.constantFrom('AAAA', '!', ''),
    te: fc.constantFrom('trailers'),
  },
  { requiredKeys: [] },
);

export const grpcInputs: fc.Arbitrary<Input> = fc
  .tuple(
    fc.constantFrom(...methods),
    fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
    frame,
  )
  .map(
    ([method, given, bytes]): Input => ({
      kind: 'grpc',
      method: `/lf.a2a.v1.A2AService/${method}`,
      headers: { 'content-type': 'application/grpc', te: 'trailers', ...given },
      frame: bytes.toString('base64'),
    }),
  );
