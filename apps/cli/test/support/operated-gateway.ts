import { createGateway } from '@switchyard/gateway';
import { type OpenTurn, Store } from '@switchyard/store';
import { pino } from 'pino';
import { inject } from 'vitest';
import { userMessage } from '../../../../tests/support/messages.ts';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { beginTurn } from '../../../../tests/support/store/drive.ts';

export const key = 'a-key-for-operators';
export const scope = { principal: { tenant: 'default', subject: 'anonymous', scopes: [] }, agent: 'echo' };

/** A gateway with an operators' port, whose tasks a test begins and ends itself. */
export interface OperatedGateway extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  readonly store: Store;
  /** Creates a task. @returns its id */
  submit(): Promise<string>;
  begin(taskId: string, started?: number): Promise<OpenTurn | string>;
}

const card = {
  description: 'Echoes.',
  version: '1',
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Repeats what you say', tags: [] }],
  supportedInterfaces: [],
  capabilities: {},
};
const agents = ['echo', 'pizza'].map((id) => ({
  id,
  card: { ...card, name: id },
  repliesWithMessage: false,
  concurrency: 1,
}));

type Auth = Parameters<typeof createGateway>[0]['auth'];

export async function openOperatedGateway(auth?: Auth): Promise<OperatedGateway> {
  const settings = { redisUrl: inject('redisUrl'), prefix: uniquePrefix(), maxAttempts: 1 };
  const store = new Store(settings, () => undefined);
  await store.start();
  await store.registry.announce(agents, 'test');
  const admin = { host: '127.0.0.1', port: 0, key };
  const gateway = createGateway(
    { port: 0, drainMs: 200, defaultAgent: 'echo', admin, ...(auth && { auth }) },
    { store, log: pino({ level: 'silent' }) },
  );
  const { url, adminUrl = '' } = await gateway.start();
  return {
    url,
    adminUrl,
    store,
    submit: async () => {
      const accepted = await store.tasks.accept(scope, { message: userMessage('hello') });
      if (accepted.verdict !== 'accepted') throw new Error(accepted.verdict);
      return accepted.taskId;
    },
    begin: (taskId, started = 1) => beginTurn(store, { taskId, started }),
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await store.stop();
    },
  };
}
