import { port } from '../config.ts';
import { startServer } from './start-server.ts';

const { url } = await startServer(port);
process.stdout.write(`The SDK's server is at ${url}\n`);
