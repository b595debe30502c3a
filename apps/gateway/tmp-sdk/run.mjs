import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { randomUUID } from 'node:crypto';
const url = 'http://localhost:4777';
for (const preferred of ['JSONRPC', 'HTTP+JSON']) {
  const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports: [preferred] }));
  const client = await factory.createFromUrl(url);
  console.log(preferred, client.transport?.constructor?.name);
  const msg = (text, extra = {}) => ({ messageId: randomUUID(), role: 1, parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }], contextId: '', taskId: '', extensions: [], referenceTaskIds: [], metadata: undefined, ...extra });
  const conf = (o = {}) => ({ acceptedOutputModes: [], taskPushNotificationConfig: undefined, historyLength: undefined, returnImmediately: false, ...o });
  const r = await client.sendMessage({ tenant: '', message: msg('hello'), configuration: conf(), metadata: undefined });
  console.log('send', r.status?.state ?? JSON.stringify(r).slice(0, 200));
  const imm = await client.sendMessage({ tenant: '', message: msg('slow 1500'), configuration: conf({ returnImmediately: true }), metadata: undefined });
  console.log('immediate', imm.status.state);
  const got = await client.getTask({ tenant: '', id: imm.id });
  console.log('get', got.status.state);
  let n = 0; for await (const e of client.sendMessageStream({ tenant: '', message: msg('stream 100'), configuration: conf(), metadata: undefined })) n++;
  console.log('stream events', n);
  const list = await client.listTasks({ tenant: '', contextId: '', status: 0, pageToken: '', pageSize: 2 });
  console.log('list', list.tasks.length, list.totalSize, !!list.nextPageToken);
  let s = []; for await (const e of client.resubscribeTask({ tenant: '', id: imm.id })) s.push(Object.keys(e)[0] + ':' + (e.payload?.$case ?? e.kind));
  console.log('resub', s.join(' '));
  const slow = await client.sendMessage({ tenant: '', message: msg('slow 5000'), configuration: conf({ returnImmediately: true }), metadata: undefined });
  console.log('cancel', (await client.cancelTask({ tenant: '', id: slow.id, metadata: undefined })).status.state);
  for (const f of [() => client.getTask({ tenant: '', id: 'nope' }), () => client.cancelTask({ tenant: '', id: imm.id }), async () => { for await (const _ of client.resubscribeTask({ tenant: '', id: imm.id })); }, () => client.getAgentCard?.()])
    try { const x = await f(); console.log('no error', x?.name); } catch (e) { console.log('error', e.name, e.message.slice(0, 80)); }
}
