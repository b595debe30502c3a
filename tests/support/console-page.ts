import type { RequestListener } from 'node:http';
import { serveConsole } from '@switchyard/gateway';
import express from 'express';
import { buildConsole } from '../../scripts/console/build-console.ts';

/** Serves the console, built from the current sources: `openStandInApi({ page: await consolePage() })` */
export async function consolePage(): Promise<RequestListener> {
  await buildConsole();
  return express().use('/console', serveConsole());
}
