import { RAW_IN_URL, rawBytesIn, readRaw } from '@switchyard/files';
import { type Artifact, type Message, type StreamResponse, type Task, withContents } from '@switchyard/protocol';
import { AnswersTooLarge, type Json, principalKey } from '@switchyard/store';
import type { Call } from '../call/call.ts';
import type { Backend } from './backend.ts';
import { mapItems } from './map-items.ts';

/** What has parts. */
type Holder = Message | Artifact;

/** JSON of an operation's answer, or of an event. */
type Answer = Partial<StreamResponse & Task> & { readonly tasks?: readonly Task[] };

/** For callers that want as `raw` what was moved into files: see `wantsRaw`. */
export async function answerWithRaw<Given extends { readonly json?: Json | undefined; readonly version?: string }>(
  backend: Backend,
  call: Call,
  answer: Given,
): Promise<Given | Omit<Given, 'version'>> {
  if (!answer.json?.includes(RAW_IN_URL)) return answer;
  const json = await withRaw(backend, call, { json: answer.json, copies: COPIES });
  if (json !== undefined) return { ...answer, json };
  // Without its version the caller does not keep the URLs.
  const { version: _, ...others } = answer;
  return others;
}

/** As `answerWithRaw`, for the events of a stream. What this gateway has no memory for keeps its URLs, and does not end it. */
export function itemsWithRaw<Item extends { readonly json: Json }>(
  backend: Backend,
  call: Call,
  items: AsyncIterable<Item>,
): AsyncIterable<Item> {
  return mapItems(items, async (item) => {
    if (!item.json.includes(RAW_IN_URL)) return item;
    const given = { json: item.json, copies: TRANSLATED_COPIES };
    const json = await withRaw(backend, call, given).catch((err: unknown) => {
      if (!(err instanceof AnswersTooLarge)) throw err;
      backend.emit({ kind: 'raw-not-read', agent: call.scope.agent, err });
    });
    return json === undefined ? item : { ...item, json };
  });
}

/** In memory are the JSON before and after, and what is between them. */
const COPIES = 3;
/** A2A 0.3 makes 6 copies of the JSON, in which raw has four characters for three bytes. */
const TRANSLATED_COPIES = 8;

/**
 * Parts beyond the bytes of a request keep their URLs.
 * @param given `copies`: for which there must be memory
 * @returns undefined: the store of files is away @throws {AnswersTooLarge}
 */
async function withRaw(
  { files, tasks, settings, emit }: Backend,
  call: Call,
  { json, copies }: { readonly json: Json; readonly copies: number },
): Promise<Json | undefined> {
  const answer: Answer = JSON.parse(json.toString());
  const holders = holdersIn(answer);
  const parts = holders.flatMap((holder) => holder.parts);
  const { principal, agent } = call.scope;
  const reader = { owner: principalKey(principal), agent, maxBytes: settings.maxBodyBytes };
  const rawBytes = rawBytesIn(parts, reader.maxBytes);
  if (!files || rawBytes === 0) return json;
  let isRead = false;
  const bytes = json.length + rawBytes;
  const write = async (): Promise<string> => {
    try {
      const restored = withContents(parts, await readRaw(files, parts, reader), (raw) => ({ raw }));
      for (const holder of holders) holder.parts = restored.splice(0, holder.parts.length);
      isRead = true;
    } catch (err) {
      emit({ kind: 'raw-not-read', agent, err });
    }
    return JSON.stringify(answer);
  };
  const made = await tasks.makeAnswer(COPIES * bytes, write, copies * bytes);
  return isRead ? made : undefined;
}

function holdersIn({ tasks = [], task, message, statusUpdate, artifactUpdate, ...own }: Answer): Holder[] {
  const events = [message, statusUpdate?.status.message, artifactUpdate?.artifact];
  return [...events, ...[...tasks, task ?? own].flatMap(holdersOf)].filter((holder) => holder !== undefined);
}

function holdersOf({ status, history = [], artifacts = [] }: Partial<Task>): (Holder | undefined)[] {
  return [...artifacts, ...history, status?.message];
}
