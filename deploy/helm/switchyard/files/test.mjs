// `helm test`: a gateway is ready, lets nobody in without a key, and an agent answers a message.

import { readFileSync } from 'node:fs';

const { GATEWAY, AUTHENTICATION, AGENT, KEYS_FILE } = process.env;
const key = readFileSync(KEYS_FILE, 'utf8').split(/[\s,:]/)[0];

const ready = await fetch(`${GATEWAY}/readyz`);
expect(ready.status === 200, `/readyz answers ${ready.status}`);

const isLocked = !AUTHENTICATION.includes('none');
const stranger = await fetch(`${GATEWAY}/agents`);
expect(stranger.status === (isLocked ? 401 : 200), `without a key, /agents answers ${stranger.status}`);

if (AUTHENTICATION.includes('api-key') || !isLocked) {
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', 'X-API-Key': key };
  const agents = await fetch(`${GATEWAY}/agents`, { headers });
  expect(agents.status === 200, `with a key, /agents answers ${agents.status}`);
  if (AGENT) await converse(headers);
}
console.log('The gateway answers as it should.');

async function converse(headers) {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'A test of the release' }] };
  const answer = await fetch(`${GATEWAY}/agents/${AGENT}/message:send`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ message }),
  });
  const text = await answer.text();
  expect(answer.status === 200, `${AGENT} answers ${answer.status}: ${text}`);
  console.log(`${AGENT}: ${text}`);
}

function expect(holds, what) {
  if (holds) return;
  console.error(what);
  process.exit(1);
}
