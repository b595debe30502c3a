import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** The limit of what a server can do: answers one ready body. Usage: ready-body.ts express|node <file with the body> */
const [kind = 'node', file = ''] = process.argv.slice(2);
const body = readFileSync(file, 'utf8');

function expressServer(): Server {
  const app = express();
  app.disable('etag').disable('x-powered-by');
  app.get('/tasks/:id', (_, res) => {
    res.type('application/a2a+json').send(body);
  });
  return createServer(app);
}

const answer: RequestListener = (_, res) => {
  res.setHeader('Content-Type', 'application/a2a+json');
  res.end(body);
};

const server = kind === 'express' ? expressServer() : createServer(answer);
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});
