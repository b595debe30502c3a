import { buffer } from 'node:stream/consumers';
import { openHttpServer } from './http-server.ts';

/** A span as an OpenTelemetry collector receives it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty if it is the root of its trace. */
  readonly parentId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isError: boolean;
}

/** Receives OTLP over HTTP, in this process. */
export interface TestCollector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly requests: number;
  close(): Promise<void>;
}

export async function startCollector(): Promise<TestCollector> {
  const spans: ReceivedSpan[] = [];
  let requests = 0;
  const server = await openHttpServer(async (req, res) => {
    spans.push(...spansIn(await buffer(req)));
    requests++;
    res.setHeader('content-type', 'application/x-protobuf').end();
  });
  return {
    url: `${server.url}/v1/traces`,
    spans,
    get requests() {
      return requests;
    },
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  };
}

/** The fields of ExportTraceServiceRequest that tests need, by their numbers in OpenTelemetry's trace.proto. */
function spansIn(request: Buffer): ReceivedSpan[] {
  return messages(request, 1).flatMap((ofResource) => {
    const service = String(attributesIn(messages(ofResource, 1)[0] ?? Buffer.alloc(0), 1)['service.name']);
    return messages(ofResource, 2).flatMap((ofScope) => messages(ofScope, 2).map((span) => spanOf(span, service)));
  });
}

function spanOf(span: Buffer, service: string): ReceivedSpan {
  const hex = (number: number): string => messages(span, number)[0]?.toString('hex') ?? '';
  const status = messages(span, 15)[0];
  return {
    service,
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    name: text(span, 5),
    kind: numbers(span, 6)[0] ?? 0,
    startMs: (numbers(span, 7)[0] ?? 0) / 1e6,
    endMs: (numbers(span, 8)[0] ?? 0) / 1e6,
    attributes: attributesIn(span, 9),
    links: messages(span, 13).map((link) => ({
      traceId: messages(link, 1)[0]?.toString('hex') ?? '',
      spanId: messages(link, 2)[0]?.toString('hex') ?? '',
    })),
    isError: status !== undefined && numbers(status, 3)[0] === 2,
  };
}

function attributesIn(message: Buffer, number: number): Record<string, string | number | boolean> {
  const pairs = messages(message, number).map((pair): [string, string | number | boolean] => {
    const value = messages(pair, 2)[0] ?? Buffer.alloc(0);
    const [isTrue] = numbers(value, 2);
    const [whole] = numbers(value, 3);
    if (isTrue !== undefined) return [text(pair, 1), isTrue === 1];
    return [text(pair, 1), whole ?? text(value, 1)];
  });
  return Object.fromEntries(pairs);
}

const text = (message: Buffer, number: number): string => messages(message, number)[0]?.toString() ?? '';

function messages(message: Buffer, number: number): Buffer[] {
  return fieldsOf(message).flatMap((field) =>
    field.number === number && Buffer.isBuffer(field.value) ? field.value : [],
  );
}

function numbers(message: Buffer, number: number): number[] {
  return fieldsOf(message).flatMap((field) =>
    field.number === number && typeof field.value === 'number' ? field.value : [],
  );
}

/** Protobuf's wire format: number and type, then a varint (0), 8 bytes (1), a length (2) or 4 bytes (5). */
function fieldsOf(message: Buffer): { number: number; value: number | Buffer }[] {
  const fields: { number: number; value: number | Buffer }[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const [number, type] = [tag >> 3, tag & 7];
    if (type === 0) {
      fields.push({ number, value: varint() });
      continue;
    }
    const length = type === 1 ? 8 : type === 5 ? 4 : varint();
    const bytes = message.subarray(at, at + length);
    at += length;
    fields.push({ number, value: type === 1 ? Number(bytes.readBigUInt64LE()) : bytes });
  }
  return fields;
}

/** Whether a span descends from another: as its child, or by a link. */
export function spansFrom(source: ReceivedSpan, spans: readonly ReceivedSpan[]): ReadonlySet<ReceivedSpan> {
  const reached = new Set([source]);
  const idOf = ({ traceId, spanId }: Pick<ReceivedSpan, 'traceId' | 'spanId'>): string => `${traceId} ${spanId}`;
  for (const from of reached) {
    const id = idOf(from);
    for (const span of spans) {
      const sources = [{ traceId: span.traceId, spanId: span.parentId }, ...span.links];
      if (sources.some((each) => idOf(each) === id)) reached.add(span);
    }
  }
  return reached;
}
