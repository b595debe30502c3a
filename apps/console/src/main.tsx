import { render } from 'preact';
import { z } from 'zod';
import { followLinks, go, path } from './app/route.ts';
import { resume } from './app/session.ts';
import { firstPage } from './shell/pages.tsx';
import { Shell } from './shell/shell.tsx';
import './design/index.css';

// Otherwise zod would try whether it may compile code, which the page's policy forbids and the browser reports.
z.config({ jitless: true });

const root = document.getElementById('console');
if (!root) throw new Error('the page has no place for the console');

followLinks();
// The first page's address replaces that of the link, and the key in it.
const resumed = resume();
if (path.value === '/') go(firstPage, { replaces: true });
render(<Shell />, root);
await resumed;
