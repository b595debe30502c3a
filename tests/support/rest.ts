import type { HttpErrorBody, Message, SendMessageConfiguration, Task } from '@switchyard/protocol';

/** An answer over HTTP+JSON (A2A 11). The test chooses the type of the body, which is undefined if it is empty. */
export interface RestAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export type ErrorBody = HttpErrorBody;

export async function get<Body>(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RestAnswer<Body>> {
  return read(await fetch(url, { headers }));
}

export async function post<Body>(
  url: string,
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<RestAnswer<Body>> {
  const json = { 'content-type': 'application/json', ...headers };
  return read(await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) }));
}

/** Sends a message and waits for the agent. @returns the task. Throws if the message is refused. */
export async function send(url: string, message: Message, configuration: SendMessageConfiguration = {}): Promise<Task> {
  const { status, body } = await post<{ task: Task }>(`${url}/message:send`, { message, configuration });
  if (status !== 200) throw new Error(`the message was refused: ${JSON.stringify(body)}`);
  return body.task;
}

/** Sends with returnImmediately. @returns the accepted task */
export function submit(url: string, message: Message): Promise<Task> {
  return send(url, message, { returnImmediately: true });
}

export async function getTask(url: string, id: string): Promise<Task> {
  const { body } = await get<Task>(`${url}/tasks/${id}`);
  return body;
}

async function read<Body>(response: Response): Promise<RestAnswer<Body>> {
  const text = await response.text();
  const body = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}
