import { render } from 'preact';
import { z } from 'zod';
import { followLinks, go, path } from './app/route.ts';
import { followKeysInUrl, resume } from './app/session.ts';
import { firstPage } from './shell/pages.tsx';
import { Shell } from './shell/shell.tsx';
import './design/index.css';

// Keeps zod from testing whether it may compile code, which the content security policy forbids and the browser
// reports.
z.config({ jitless: true });

const root = document.getElementById('console');
if (!root) throw new Error('the page has no place for the console');

followLinks();
followKeysInUrl();
// The first page replaces the URL of the link, and removes the key from it.
const resumed = resume();
if (path.value === '/') go(firstPage, { replaces: true });
render(<Shell />, root);
await resumed;
