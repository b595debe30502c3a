import type { CodeFrame, FailureKind, FailureReport, ThrownError } from '@switchyard/protocol';

/** Bytes of a failure in Redis. */
const MAX_BYTES = 8_192;
const HEAD_LENGTH = 200;
const MESSAGE_LENGTH = 1_000;

/** A failure as scripts get it: see failures.lua. Too large: without its inner frames, then without its causes. */
export function storedFailureText(report: FailureReport): string {
  const head = `${report.kind} ${oneLine(report.message).slice(0, HEAD_LENGTH)}`;
  const short = { ...report, message: report.message.slice(0, MESSAGE_LENGTH) };
  for (const smaller of reductions) {
    const text = `${head}\n${JSON.stringify(smaller(short))}`;
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  }
  return `${head}\n${JSON.stringify({ kind: report.kind, message: short.message.slice(0, HEAD_LENGTH) })}`;
}

/** The failure in a text; undefined: it cannot be read. */
export function readFailure(text: string): FailureReport | undefined {
  try {
    return JSON.parse(text.slice(text.indexOf('\n') + 1));
  } catch {
    return undefined;
  }
}

/** The kind and message in the field `reason` of a record: `<epoch> <kind> <message>`. */
export interface Reason {
  readonly epoch: number;
  readonly kind: FailureKind;
  readonly message: string;
}

export function readReason(stored: string | null | undefined): Reason | undefined {
  const [, epoch, kind, message = ''] = /^(\d+) (\S+) (.*)$/.exec(stored ?? '') ?? [];
  return epoch === undefined ? undefined : { epoch: Number(epoch), kind: kind as FailureKind, message };
}

type Reduction = (report: FailureReport) => FailureReport;

const reductions: readonly Reduction[] = [
  (report) => report,
  (report) => withError(report, (error) => mapErrors(error, withoutInnerFrames)),
  (report) => withError(report, ({ errors: _, ...error }) => error),
  (report) => withError(report, ({ errors: _, cause: __, ...error }) => error),
  ({ error: _, ...report }) => report,
];

function withError(report: FailureReport, change: (error: ThrownError) => ThrownError): FailureReport {
  return report.error ? { ...report, error: change(report.error) } : report;
}

function mapErrors(error: ThrownError, change: (error: ThrownError) => ThrownError): ThrownError {
  const { cause, errors } = error;
  return change({
    ...error,
    ...(cause && { cause: mapErrors(cause, change) }),
    ...(errors && { errors: errors.map((each) => mapErrors(each, change)) }),
  });
}

const isOfAuthor = ({ of }: CodeFrame): boolean => of === 'author';

function withoutInnerFrames({ frames, ...error }: ThrownError): ThrownError {
  return frames ? { ...error, frames: frames.filter(isOfAuthor).slice(0, 3) } : error;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
