import { randomUUID } from 'node:crypto';
import express from 'express';
import { Redis } from 'ioredis';
import { listen } from './listen.ts';

/**
 * The limit of what a durable server on Express and Redis can do: a message becomes a task by one bare script, without
 * checks, indexes or a queue. Usage: bare-script.ts <URL of Redis>
 */
const script = `
redis.call('HSET', KEYS[1], 'task', ARGV[1])
redis.call('XADD', KEYS[1] .. ':e', '1-0', 's', ARGV[1])
redis.call('PUBLISH', KEYS[1] .. ':e', ARGV[1])
return 1`;

const redis = new Redis(process.argv[2] ?? '');
const sha = String(await redis.script('LOAD', script));
const app = express();
app.disable('etag').disable('x-powered-by');
app.post('/', express.json(), async (req, res) => {
  const { id, params } = req.body;
  const taskId = randomUUID();
  const status = { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() };
  const task = JSON.stringify({ id: taskId, contextId: taskId, status, history: [params.message] });
  await redis.evalsha(sha, 1, `bare:${taskId}`, task);
  res.type('application/json').send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"task":${task}}}`);
});
listen(app);
