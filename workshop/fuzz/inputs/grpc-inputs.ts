import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import type { Input } from './input.ts';
import { extensionHeaders, ids, oddTexts, oneOf, weighted } from './values.ts';

const methods = oneOf(
  [
    'SendMessage|SendStreamingMessage|GetTask|ListTasks|CancelTask|SubscribeToTask|Nothing|GetExtendedAgentCard',
    'CreateTaskPushNotificationConfig|GetTaskPushNotificationConfig|ListTaskPushNotificationConfigs',
    'DeleteTaskPushNotificationConfig',
  ].join('|'),
);

const written = (write: (to: BinaryWriter) => BinaryWriter): Buffer => Buffer.from(write(new BinaryWriter()).finish());
const key = (n: number, type: number): Buffer => written((to) => to.tag(n, type));
const bytesField = (n: number, bytes: Buffer): Buffer =>
  written((to) => to.tag(n, WireType.LengthDelimited).bytes(bytes));
const textField = (n: number, text: string): Buffer => bytesField(n, Buffer.from(text));
const numberField = (n: number, value: bigint): Buffer =>
  written((to) => to.tag(n, WireType.Varint).uint64(BigInt.asUintN(64, value)));

const numbers = fc.oneof(fc.bigInt({ min: -1n, max: 130n }), fc.constantFrom(2n ** 31n, 2n ** 63n, 2n ** 64n - 1n));
const field = weighted([9, fc.integer({ min: 1, max: 12 })], [1, fc.nat(5_000)]);
const oddBytes = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));

/** Any protobuf message: fields of every type, nested, and sometimes invalid bytes. */
const { message } = fc.letrec<{ message: Buffer; one: Buffer }>((tie) => ({
  message: fc.array(tie('one'), { maxLength: 5 }).map((fields) => Buffer.concat(fields)),
  one: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.tuple(field, fc.oneof(ids, oddTexts)).map(([n, text]) => textField(n, text)),
    fc.tuple(field, numbers).map(([n, value]) => numberField(n, value)),
    fc.tuple(field, oddBytes).map(([n, bytes]) => bytesField(n, bytes)),
    fc
      .tuple(field, fc.constantFrom(1, 5))
      .map(([n, type]) => Buffer.concat([key(n, type), Buffer.alloc(type === 1 ? 8 : 4, 7)])),
    fc.tuple(field, fc.integer({ min: 3, max: 7 })).map(([n, type]) => key(n, type)),
    oddBytes,
    fc.tuple(field, tie('message')).map(([n, inner]) => bytesField(n, inner)),
  ),
}));

/** SendMessageRequest {message = 2 {message_id = 1, role = 4, parts = 5 {text = 1}}}, with any fields besides. */
const sendMessage = fc
  .tuple(fc.oneof(fc.uuid(), oddTexts), oddTexts, message, message, fc.bigInt({ min: 0n, max: 3n }))
  .map(([id, text, more, besides, role]) => {
    const part = bytesField(5, textField(1, text));
    const inner = Buffer.concat([textField(1, id), numberField(4, role), part, more]);
    return Buffer.concat([bytesField(2, inner), besides]);
  });
const withId = fc.tuple(ids, message).map(([id, besides]) => Buffer.concat([textField(2, id), besides]));

/** The message in its frame: five bytes, some of which are wrong. */
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
    'content-type': oneOf('application/grpc|application/grpc+proto|application/json|x'),
    'grpc-encoding': oneOf('identity|gzip|deflate|x'),
    'grpc-timeout': oneOf('1S|0n|99999999H|-1S|x|123456789S|1m'),
    'a2a-version': oneOf('1.0|1.1|1.1|0.3|x|'),
    'a2a-agent': oneOf('echo|skilled|nobody|__proto__'),
    ...extensionHeaders,
    'trace-bin': oneOf('AAAA|!|'),
    te: oneOf('trailers'),
  },
  { requiredKeys: [] },
);

export const grpcInputs: fc.Arbitrary<Input> = fc
  .tuple(methods, weighted<object>([2, fc.constant({})], [1, headers]), frame)
  .map(
    ([method, given, bytes]): Input => ({
      kind: 'grpc',
      method: `/lf.a2a.v1.A2AService/${method}`,
      headers: { 'content-type': 'application/grpc', te: 'trailers', ...given },
      frame: bytes.toString('base64'),
    }),
  );
