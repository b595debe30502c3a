import { type Answer, call, type ErrorBody, get, post } from './client.ts';

/** The operations whose errors are compared between bindings. */
export type ComparedOperation = keyof typeof restRequests;

export type Parameters = Readonly<Record<string, unknown>>;

interface RestRequest {
  readonly verb: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
}

/** A2A 11.3: method and path of each operation, with the parameters that are not in the body. */
const restRequests = {
  SendMessage: (): RestRequest => ({ verb: 'POST', path: '/message:send' }),
  SendStreamingMessage: (): RestRequest => ({ verb: 'POST', path: '/message:stream' }),
  GetTask: ({ id, ...query }: Parameters): RestRequest => ({ verb: 'GET', path: `/tasks/${id}${queryOf(query)}` }),
  ListTasks: (query: Parameters): RestRequest => ({ verb: 'GET', path: `/tasks${queryOf(query)}` }),
  CancelTask: ({ id }: Parameters): RestRequest => ({ verb: 'POST', path: `/tasks/${id}:cancel` }),
  SubscribeToTask: ({ id }: Parameters): RestRequest => ({ verb: 'POST', path: `/tasks/${id}:subscribe` }),
  CreateTaskPushNotificationConfig: ({ taskId }: Parameters): RestRequest => ({ verb: 'POST', path: configs(taskId) }),
  GetTaskPushNotificationConfig: ({ taskId, id }: Parameters): RestRequest => ({
    verb: 'GET',
    path: `${configs(taskId)}/${id}`,
  }),
  ListTaskPushNotificationConfigs: ({ taskId }: Parameters): RestRequest => ({ verb: 'GET', path: configs(taskId) }),
  DeleteTaskPushNotificationConfig: ({ taskId, id }: Parameters): RestRequest => ({
    verb: 'DELETE',
    path: `${configs(taskId)}/${id}`,
  }),
  GetExtendedAgentCard: (): RestRequest => ({ verb: 'GET', path: '/extendedAgentCard' }),
};

export async function callByRest(
  url: string,
  { operation, params }: { operation: ComparedOperation; params: Parameters },
  headers: Record<string, string>,
): Promise<Answer<ErrorBody>> {
  const { verb, path } = restRequests[operation](params);
  if (verb === 'POST') return post(url + path, params, headers);
  if (verb === 'GET') return get(url + path, headers);
  const response = await fetch(url + path, { method: verb, headers });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

export function callByJsonRpc(
  url: string,
  { operation, params }: { operation: ComparedOperation; params: Parameters },
  headers: Record<string, string>,
): Promise<Answer<ErrorBody>> {
  return call(url, operation, params, headers);
}

const configs = (taskId: unknown): string => `/tasks/${taskId}/pushNotificationConfigs`;

function queryOf(query: Parameters): string {
  const fields = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return fields.size > 0 ? `?${fields}` : '';
}
