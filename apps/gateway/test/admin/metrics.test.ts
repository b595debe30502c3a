import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { catalogue } from '@switchyard/telemetry';
import { expect, it } from 'vitest';
import { createUpload, sendPiece } from '../../../../tests/support/tus.ts';
import { get, openSendStream, openStream, submit, userMessage } from '../support/client.ts';
import { failAllAttempts, key, openAdminStage } from './support.ts';

it('metrics count requests for files, and their bytes', async () => {
  const url = pathToFileURL(await mkdtemp(join(tmpdir(), 'metrics-files-'))).href;
  await using stage = await openAdminStage({}, { files: { url, maxFileBytes: 100, maxBytesPerPrincipal: 100 } });
  const created = await fetch(`${stage.url}/files`, { method: 'POST', body: '0123456789' });
  const location = created.headers.get('location') ?? '';
  await (await fetch(location, { headers: { range: 'bytes=2-4' } })).text();
  await fetch(`${stage.url}/files`, { method: 'POST', body: 'x'.repeat(101) });
  const upload = (await createUpload(stage.url, { sizeBytes: 4 })).headers.get('location') ?? '';
  await sendPiece(upload, { offset: 0, piece: Buffer.from('abcd') });
  await sendPiece(upload, { offset: 9, piece: Buffer.from('x') });
  await fetch(location, { method: 'DELETE' });
  await fetch(location);
  const text = await (await fetch(`${stage.adminUrl}/metrics`, { headers: { 'x-api-key': key } })).text();
  for (const line of [
    'file_requests_total{operation="UploadFile",outcome="ok"} 3',
    'file_requests_total{operation="UploadFile",outcome="PayloadTooLarge"} 1',
    'file_requests_total{operation="UploadFile",outcome="InvalidRequest"} 1',
    'file_requests_total{operation="ReadFile",outcome="ok"} 1',
    'file_requests_total{operation="ReadFile",outcome="NotFound"} 1',
    'file_requests_total{operation="DeleteFile",outcome="ok"} 1',
    'file_bytes_total{direction="in"} 14',
    'file_bytes_total{direction="out"} 3',
  ])
    expect(text).toContain(`switchyard_${line}\n`);
});

it('metrics count requests, refusals, messages, streams, queues and dead letters', async () => {
  await using stage = await openAdminStage({ maxAttempts: 1 });
  const scrape = async (): Promise<string> => {
    const response = await fetch(`${stage.adminUrl}/metrics`, { headers: { 'x-api-key': key } });
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    return response.text();
  };
  const message = userMessage('once');
  const { id } = await submit(stage.url, message);
  await submit(stage.url, message);
  await submit(stage.url, userMessage('more', { taskId: id }));
  await get(`${stage.url}/tasks/nothing`);
  await fetch(`${stage.adminUrl}/metrics`);
  const stream = await openSendStream(stage.url, userMessage('live'));
  await stream.next();
  const text = await scrape();
  expect(text).toContain('switchyard_streams_resumed_total 0');
  expect(text).toContain('switchyard_request_duration_seconds_count{operation="SendMessage",outcome="ok"} 3');
  expect(text).toContain('switchyard_request_duration_seconds_count{operation="GetTask",outcome="TaskNotFound"} 1');
  expect(text).toContain('switchyard_messages_accepted_total{agent="echo",kind="new-task"} 2');
  expect(text).toContain('switchyard_messages_accepted_total{agent="echo",kind="follow-up"} 1');
  expect(text).toContain('switchyard_open_streams 1');
  expect(text).toMatch(/switchyard_queue_jobs\{agent="echo",state="waiting"\} [1-9]/);
  expect(text).toMatch(/switchyard_queue_tenants\{agent="echo"\} [01]/);
  expect(text).toMatch(/switchyard_queue_longest_tenant\{agent="echo"\} \d/);
  expect(text).toContain('switchyard_agent_workers{agent="echo"} 1');
  expect(text).toContain('switchyard_agent_paused{agent="echo"} 0');
  expect(text).toContain('\nswitchyard_redis_up 1\n');
  expect(text).toContain('switchyard_dead_letters{kind="turn"} 0');
  expect(text).toContain('switchyard_gateway_process_cpu_seconds_total');
  expect(text).toMatch(/switchyard_queue_oldest_seconds\{agent="echo"\} (?!0\n)/);
  expect(text).toContain('switchyard_tenant_waiting_jobs{tenant="other"} 0');
  expect(text).toMatch(/switchyard_redis_used_memory_bytes \d{6}/);
  expect(text).toContain('switchyard_admission_refusals_total{reason="Unauthenticated"} 1');
  stream.cut();
  const resumed = await openStream(`${stage.url}/tasks/${id}:subscribe`, { headers: { 'last-event-id': '1' } });
  resumed.cut();
  await failAllAttempts(stage.store, id);
  const later = await scrape();
  expect(later).toContain('switchyard_dead_letters{kind="turn"} 1');
  expect(later).toContain('switchyard_streams_resumed_total 1');
});

it('the gateway serves exactly the metrics of the catalogue', async () => {
  await using stage = await openAdminStage();
  const response = await fetch(`${stage.adminUrl}/metrics`, { headers: { 'x-api-key': key } });
  const served = [...(await response.text()).matchAll(/^# TYPE (\S+) (\S+)/gm)].map(([, name, type]) => [name, type]);
  const own = served.filter(([name]) => !name?.startsWith('switchyard_gateway_'));
  const wanted = Object.entries(catalogue).filter(([, { of }]) => of !== 'worker');
  expect(own.sort()).toEqual(wanted.map(([name, { type }]) => [name, type]).sort());
});
