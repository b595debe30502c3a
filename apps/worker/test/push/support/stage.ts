import { randomUUID } from 'node:crypto';
import { type DeadLetter, Ops } from '@switchyard/operators';
import type { Resolve } from '@switchyard/outgoing';
import { Deliveries, Webhooks } from '@switchyard/push';
import { type OpenTurn, Store, type StoreSettings, type Webhook, type WebhookDraft } from '@switchyard/store';
import { inject } from 'vitest';
import { uniquePrefix } from '../../../../../tests/support/prefix.ts';
import { begun } from '../../../../../tests/support/store/drive.ts';
import type { WorkerEvent } from '../../../src/index.ts';
import { PushDeliverer } from '../../../src/push/push-deliverer.ts';
import { defaultPushSettings, type PushSettings } from '../../../src/push/push-settings.ts';

export const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'test-agent' };

export interface StageSettings {
  readonly push?: Partial<PushSettings>;
  readonly store?: Partial<StoreSettings>;
  readonly resolve?: Resolve;
}

/** A store and a push deliverer in this process. The test takes the parts of clients and agents. */
export class Stage implements AsyncDisposable {
  readonly store: Store;
  readonly events: WorkerEvent[] = [];
  readonly #deliverer: PushDeliverer | undefined;

  private constructor({ push, store, resolve }: StageSettings, delivers = true) {
    const redisUrl = inject('redisUrl');
    this.store = new Store({ redisUrl, prefix: uniquePrefix(), ...store }, () => undefined);
    if (!delivers) return;
    const policy = { allowHttp: true, allowHosts: ['127.0.0.0/8'] };
    const settings = { ...defaultPushSettings, policy, backoffMs: 5, claimEveryMs: 200, ...push };
    this.#deliverer = new PushDeliverer(settings, {
      store: this.store,
      emit: (event) => this.events.push(event),
      ...(resolve && { resolve }),
    });
  }

  static async open(settings: StageSettings = {}): Promise<Stage> {
    const stage = new Stage(settings);
    await stage.store.start();
    await stage.#deliverer?.start();
    return stage;
  }

  /** A stage whose webhooks are delivered by other processes, or not at all. */
  static async withoutDeliverer(store: Partial<StoreSettings>): Promise<Stage> {
    const stage = new Stage({ store }, false);
    await stage.store.start();
    return stage;
  }

  /** Creates a task with a webhook whose first delivery waits up to `webhookHoldMs` for the agent's first event. */
  async task(webhook: WebhookDraft, webhookHoldMs = 0): Promise<string> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] } as const;
    const submission = { message: { ...message, parts: [...message.parts] }, webhook, webhookHoldMs };
    const acceptance = await this.store.tasks.accept(scope, submission);
    if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
    return acceptance.taskId;
  }

  /** Adds another webhook to the task. */
  async also(taskId: string, webhook: WebhookDraft): Promise<Webhook> {
    const made = await new Webhooks(this.store.inside).create(scope, taskId, webhook);
    if (typeof made === 'string') throw new Error(made);
    return made;
  }

  /** Claims a delivery queue like a worker that crashes before it has added the job. */
  async claimAndDie(taskId: string): Promise<void> {
    await new Deliveries(this.store.inside).claim();
    await this.store.queue.remove('@push', `${taskId}.1`, 1);
  }

  begin(taskId: string): Promise<OpenTurn> {
    return begun(this.store, taskId);
  }

  async cancel(taskId: string): Promise<void> {
    await this.store.tasks.cancel(scope, taskId);
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    return (await new Ops(this.store).deadLetters.list({ pageSize: 100 }, { kind: 'webhook' })).items;
  }

  happened<K extends WorkerEvent['kind']>(kind: K): (WorkerEvent & { kind: K })[] {
    return this.events.filter((one): one is WorkerEvent & { kind: K } => one.kind === kind);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deliverer?.stop(0);
    await this.store.stop();
  }
}
