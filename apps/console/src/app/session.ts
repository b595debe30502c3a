import { type ReadonlySignal, signal } from '@preact/signals';
import { type Me, meSchema, OperatorClient, OperatorError } from '@switchyard/operator-api';
import { tokenOfRedirect } from './oidc.ts';

const keyName = 'switchyard.key';
/** The deployment that the operator of this tab has chosen. */
const deploymentName = 'switchyard.deployment';

/** A link has another key than the operator of this tab. */
export interface KeyChoice {
  readonly given: string;
  readonly kept: string;
}

export interface Session {
  readonly key: string;
  readonly me: Me;
  readonly client: OperatorClient;
}

type SignIn =
  | { readonly state: 'asking' }
  | { readonly state: 'choosing'; readonly choice: KeyChoice }
  | { readonly state: 'signed-out'; readonly problem?: string }
  | { readonly state: 'signed-in'; readonly session: Session };

const current = signal<SignIn>({ state: 'asking' });

export const signedIn: ReadonlySignal<SignIn> = current;

/** The signed-in operator: pages need one. */
export function session(): Session {
  if (current.value.state !== 'signed-in') throw new Error('nobody is signed in');
  return current.value.session;
}

/**
 * Takes the key from the URL (`#key=…`, which is removed), a token from the issuer, or the key of this tab. A key in
 * the URL does not replace that of this tab without a question: anybody can make such a link.
 */
export async function resume(): Promise<void> {
  const given = takeKeyFromUrl();
  const kept = sessionStorage.getItem(keyName);
  if (given !== undefined && kept !== null && given !== kept) {
    current.value = { state: 'choosing', choice: { given, kept } };
    return;
  }
  try {
    const key = given ?? (await tokenOfRedirect()) ?? kept;
    if (key) await signIn(key);
    else signOut();
  } catch (error) {
    signOut(error instanceof Error ? error.message : String(error));
  }
}

/** A link to this page changes only the part after `#`: the page is not loaded again. */
export function followKeysInUrl(): void {
  addEventListener('hashchange', () => {
    if (keyInUrl() !== undefined) void resume();
  });
}

function keyInUrl(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get('key') ?? undefined;
}

function takeKeyFromUrl(): string | undefined {
  const key = keyInUrl();
  if (location.hash) history.replaceState(null, '', location.pathname + location.search);
  return key;
}

export async function signIn(key: string): Promise<void> {
  const access = { url: location.origin, key };
  try {
    const me = await new OperatorClient(access).call('/admin/me', meSchema);
    sessionStorage.setItem(keyName, key);
    const deployment = chosenAmong(me) ?? me.deployment;
    const client = new OperatorClient({ ...access, deployment });
    current.value = { state: 'signed-in', session: { key, me: { ...me, deployment }, client } };
  } catch (error) {
    const isRefused = error instanceof OperatorError && (error.status === 401 || error.status === 403);
    if (isRefused) sessionStorage.removeItem(keyName);
    current.value = { state: 'signed-out', problem: problemIn(error) };
  }
}

/** Shows another of several deployments. @param to the page to go to; default: this one */
export function chooseDeployment(number: number, to = location.href): void {
  sessionStorage.setItem(deploymentName, String(number));
  // Every list, stream and half-filled form is of the previous one.
  location.assign(to);
}

/** Another gateway may have had others. */
function chosenAmong({ deployments = [] }: Me): number | undefined {
  const kept = sessionStorage.getItem(deploymentName);
  return deployments.find((number) => String(number) === kept);
}

export function signOut(problem?: string): void {
  sessionStorage.removeItem(keyName);
  sessionStorage.removeItem(deploymentName);
  current.value = { state: 'signed-out', ...(problem !== undefined && { problem }) };
}

function problemIn(error: unknown): string {
  if (!(error instanceof OperatorError)) return 'The gateway does not answer.';
  if (error.status === 401) return 'This key is not known here.';
  if (error.status === 403) return 'This key is known, but not an operator’s.';
  return error.message;
}
