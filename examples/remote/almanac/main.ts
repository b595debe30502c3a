import { almanac } from '../config.ts';
import { startAlmanac } from './server.ts';

const { cardUrl } = await startAlmanac(almanac);
process.stdout.write(`The almanac is process ${process.pid}, its card is at ${cardUrl}\n`);
