import { CommandFailure } from '../failures/failure.ts';

/** Characters of a page that are looked at. */
const MAX_PAGE = 10_000;
const MAX_QUOTED = 200;

/**
 * An answer to a call as its reader expects it: a result as a whole, where a stream was asked for, is a stream of one
 * event.
 * @throws {CommandFailure} the answer is no JSON, or a page: as a rule of a proxy in front of the agent, where one logs in
 */
export async function understood(response: Response, { method, headers }: RequestInit = {}): Promise<Response> {
  if (method !== 'POST' || !response.ok) return response;
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/html\b/i.test(type)) throw aPage(response.status, await response.text());
  const wantsStream = new Headers(headers).get('accept')?.includes('text/event-stream');
  if (!wantsStream || !/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return response;
  // Outside of its strings, JSON may have line ends anywhere; inside, it has none.
  const json = (await response.text()).replace(/[\r\n]+/g, ' ');
  if (!isJson(json)) throw new CommandFailure('A2ACLI_ERR_INTERNAL', 'The agent’s answer is not A2A: it is no JSON');
  return new Response(`data: ${json}\n\n`, { status: 200, headers: { 'content-type': 'text/event-stream' } });
}

function aPage(status: number, page: string): CommandFailure {
  const text = page
    .slice(0, MAX_PAGE)
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const words = text === '' ? '' : `: ${text.slice(0, MAX_QUOTED)}`;
  const failure = `The agent answered with a page instead of A2A (HTTP ${status})${words}`;
  return new CommandFailure('InvalidAgentResponseError', failure, { a2aCode: status });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
