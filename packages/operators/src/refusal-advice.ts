import type { FailureKind, ThrownError } from '@switchyard/protocol';

/** What an error and its causes say of a refusal. */
interface Refusal {
  /** Of the first HTTP response that refused. */
  readonly status: number | undefined;
  readonly codes: ReadonlySet<string | number>;
  /** The address policy refused the URL. */
  readonly isAddress: boolean;
}

type Refuser = Extract<FailureKind, 'model-refused' | 'remote-refused' | 'file-refused' | 'program-failed'>;

/** What to change first: a mere rerun is refused again. Undefined: something else refused, or nothing is known of it. */
export function refusalAdvice(kind: FailureKind, error: ThrownError | undefined, where: string): string | undefined {
  const refusal = refusalIn(error);
  return isRefuser(kind) ? advice[kind](refusal) : ofServer(refusal, where);
}

const advice: Readonly<Record<Refuser, (refusal: Refusal) => string>> = {
  'model-refused': ofModel,
  'remote-refused': ofRemoteAgent,
  'file-refused': ofFile,
  'program-failed': ofProgram,
};

const isRefuser = (kind: FailureKind): kind is Refuser => kind in advice;

function ofModel({ codes, status }: Refusal): string {
  if (codes.has('quota')) return "Add to the quota of the account at the model's provider, or wait until it renews.";
  if (codes.has('too-long')) return 'Take a model with a longer context, or let the agent send less to it.';
  if (codes.has('cut-off'))
    return 'Let the model write more (its limit of output tokens, in parameters), or let the agent ask for less.';
  if (codes.has('answer-too-long')) return 'Let the agent ask for less: what its code goes on with is stored.';
  if (codes.has('rounds')) return 'Raise maxToolRounds, or see why the model calls its tools again and again.';
  if (status === 401 || status === 403)
    return `Change the key of the agent for its model (apiKey): the model's server refuses it (${status}).`;
  if (status === 404)
    return "Correct the model's name (model) or the address of its server (baseURL): nothing is there (404).";
  if (status === undefined) return 'Change the prompt, or the model: the same question has the same answer.';
  return `Change what the agent asks of the model: its server refuses that (${status}), for the reason in the cause.`;
}

function ofRemoteAgent({ codes, status, isAddress }: Refusal): string {
  if (isAddress || codes.has('untrusted-origin'))
    return (
      'Allow the address if it may be called: in trustedOrigins or policy of the remote agent; for an agent that is ' +
      'called by its URL, in AGENT_ALLOW_HOSTS and AGENT_ALLOW_HTTP of the workers.'
    );
  if (codes.has('lost')) return 'See why the remote agent has lost its task: the message is sent to it again.';
  if (codes.has('doubt')) return 'See whether the remote agent has done it: the message is sent to it again.';
  if (status === 401 || status === 403)
    return `Change the credentials for the remote agent (headers or auth): it refuses them (${status}).`;
  if (status === 404)
    return 'Correct the address of the remote agent (cardUrl, or the URL in its card): nothing is there.';
  if (codes.has('bad-card'))
    return 'Let the remote agent serve a card that can be used, as the message says, or correct its address.';
  return 'Change what the remote agent refuses, as the message says: it refuses the same message again.';
}

function ofFile({ codes, status, isAddress }: Refusal): string {
  const again = 'a rerun reads the same URL';
  if (isAddress)
    return `Allow the address if workers may read it (AGENT_ALLOW_HOSTS, AGENT_ALLOW_HTTP), or send a new message: ${again}.`;
  if (codes.has('over-quota')) return 'Delete files of the client, or raise MAX_FILE_BYTES_PER_PRINCIPAL.';
  if (codes.has('too-large'))
    return 'Raise the limit that the message names, or send a new message with smaller files.';
  if (codes.has('not-for-model'))
    return 'If the model reads such files, add their type to files, or raise maxFileBytes; or send a new message with others.';
  if (status === 401 || status === 403)
    return `Let the file's server give the file without a login, such as at a signed URL (${status}): ${again}.`;
  return `Put the file where its URL says, or send a new message: ${again}.`;
}

function ofProgram({ codes }: Refusal): string {
  if (codes.has('not-started')) return 'Correct command, or install the program where the worker runs.';
  if (codes.has('limit')) return 'Raise the limit that the message names (timeoutMs, outputLimitBytes).';
  if (codes.has('sandbox')) return 'Install a sandbox where the worker runs (docs/executors.md), as the cause says.';
  return "See the program's output in the artifacts of the task, and mend what it says.";
}

/** What an error of the author's code says of a server that refused. */
function ofServer({ status }: Refusal, where: string): string | undefined {
  if (status === 401 || status === 403)
    return `Change the credentials that ${where} sends: a server refuses them (${status}).`;
  if (status === 404) return `Correct the address or the name that ${where} asks for: a server does not know it (404).`;
  if (status === 400 || status === 422) return `Change the request of ${where}: a server refuses it (${status}).`;
  return undefined;
}

function refusalIn(error: ThrownError | undefined): Refusal {
  const all = error ? withCauses(error) : [];
  return {
    status: all.find(({ status }) => status !== undefined)?.status,
    codes: new Set(all.flatMap(({ code }) => code ?? [])),
    isAddress: all.some(({ type }) => type === 'AddressRefused'),
  };
}

function withCauses(error: ThrownError): ThrownError[] {
  return [error, ...[...(error.cause ? [error.cause] : []), ...(error.errors ?? [])].flatMap(withCauses)];
}
