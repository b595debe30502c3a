import { rmSync } from 'node:fs';
import { runTurn } from '@switchyard/agent/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import team from '../agent.ts';
import backend from '../backend.ts';
import design from '../design.ts';
import frontend from '../frontend.ts';
import product from '../product.ts';

/** Before the agents are imported, since they read their settings then. */
const { workspaces } = await vi.hoisted(async () => {
  const [{ mkdtempSync }, { tmpdir }] = await Promise.all([import('node:fs'), import('node:os')]);
  const folder = mkdtempSync(`${tmpdir()}/switchyard-team-`);
  process.env.WORKSPACES = folder;
  process.env.CODER_STEP_MS = '10';
  return { workspaces: folder };
});

afterAll(() => rmSync(workspaces, { recursive: true, force: true }));

describe('the coding team', () => {
  it('plans, works together, and completes with one combined result', async () => {
    const agents = [product, design, frontend, backend];
    const { task, answer } = await runTurn(team, 'Build a login system', { agents });
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answer).toContain('The login system is built');
    const said = task.history?.slice(1).map(({ parts }) => parts[0]?.text);
    expect(said?.slice(0, 2)).toEqual([
      'The team is on it.',
      'The plan: A login system: a page, and a service that checks who you are.',
    ]);
    expect(said).toContain('frontend asks: Which endpoint takes the login, and with which fields?');
    const [result] = task.artifacts ?? [];
    expect(result?.parts.slice(1).map(({ filename }) => filename)).toEqual([
      'frontend/login.css',
      'frontend/login.html',
      'backend/server.js',
      'backend/users.sql',
    ]);
    expect(result?.parts[2]?.text).toContain('action="/api/login"');
  });
});
