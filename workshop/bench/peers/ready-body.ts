import express from 'express';
import { listen } from './listen.ts';

/** The limit of any server: answers a prepared body. Usage: ready-body.ts express|node <URL of the body> */
const [kind = 'node', url = ''] = process.argv.slice(2);
const body = await (await fetch(url)).text();

if (kind === 'express') {
  const app = express();
  app.disable('etag').disable('x-powered-by');
  app.get('/tasks/:id', (_, res) => void res.type('application/a2a+json').send(body));
  listen(app);
} else {
  listen((_, res) => {
    res.setHeader('Content-Type', 'application/a2a+json');
    res.end(body);
  });
}
