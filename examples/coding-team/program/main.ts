// A substitute for a coding agent: reads its briefing, prints its progress, asks if necessary, and writes a few files.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const { CODER_STEP_MS = '300' } = process.env;

const read = (name: string): string => (existsSync(name) ? readFileSync(name, 'utf8') : '');

async function say(text: string): Promise<void> {
  process.stdout.write(`${text}\n`);
  await delay(Number(CODER_STEP_MS));
}

async function write(name: string, text: string): Promise<void> {
  await say(`Writing ${name}`);
  writeFileSync(name, text);
}

async function buildPage(): Promise<void> {
  const endpoint = /POST (\/\S+)/.exec(read('INSTRUCTIONS.md') + read('SPECS.md'))?.[1];
  if (!endpoint) return writeFileSync('QUESTION.md', 'Which endpoint takes the login, and with which fields?\n');
  await write('login.css', 'form { display: grid; gap: 1rem; max-width: 20rem }\n');
  const fields = '<input name="email" type="email" required><input name="password" type="password" required>';
  await write('login.html', `<form method="post" action="${endpoint}">${fields}<button>Log in</button></form>\n`);
}

async function buildService(): Promise<void> {
  await write('users.sql', 'create table users (email text primary key, password_hash text not null);\n');
  await write('server.js', "app.post('/api/login', (request, response) => login(request.body, response));\n");
}

const [, role = ''] = /## Role\n\n(.+)/.exec(read('CONTEXT.md')) ?? [];
await say(`${role}: reading the briefing`);
await (role.startsWith('Frontend') ? buildPage() : buildService());
await say('Done for now');
