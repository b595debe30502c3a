/** The most that something may cost, and why it costs that much. To make it cheaper for ever, lower the number. */
export interface Budget {
  readonly most: number;
  readonly because: string;
}

/** Of an operation of the gateway. */
export interface OperationBudget {
  /** Of waiting for Redis: what leaves together counts once. Those that the caller need not wait for count, too. */
  readonly trips: number;
  readonly commands: number;
  readonly because: string;
}

/** What an operation asks of Redis. */
export const operations = {
  sendImmediately: {
    trips: 1,
    commands: 1,
    because: 'one script writes the task and its job; the new task is composed here, not read',
  },
  sendAndWait: {
    trips: 3,
    commands: 3,
    because: 'accept, unsubscribe, and for every 64 tasks a subscription: it is composed of what was heard, not read',
  },
  sendAndStream: {
    trips: 3,
    commands: 3,
    because: 'accept, unsubscribe, and for every 64 tasks a subscription; the events themselves are published',
  },
  sendToTask: {
    trips: 2,
    commands: 2,
    because: 'accept, which adds the job, then the task as it is',
  },
  getTask: { trips: 1, commands: 1, because: 'one script reads all pieces of a task' },
  getTaskAgain: { trips: 1, commands: 1, because: 'Redis says that it is still so; the task is in memory' },
  getTaskAtOnce: {
    trips: 12,
    commands: 12,
    because: 'of twenty, those who ask while others are being answered ask together; five to seven times, as they come',
  },
  getTaskUnchanged: { trips: 1, commands: 1, because: 'Redis says that it is still so: 304' },
  getLargeTask: {
    trips: 2,
    commands: 2,
    because: 'no script copies an artifact of 64 KiB or more: a GETRANGE does, up to the length that the script named',
  },
  subscribe: {
    trips: 4,
    commands: 4,
    because: 'whether there is such a task, subscribe, where it is by now, unsubscribe at the end',
  },
  listTen: {
    trips: 2,
    commands: 2,
    because: 'the index says which ten, then one script reads all of them',
  },
  cancelWaiting: { trips: 2, commands: 2, because: 'the script ends the task, then it is read' },
} as const satisfies Record<string, OperationBudget>;

/** Everything else: `measured` in the tests beside this file. */
export const budgets = {
  scriptsOfTask: {
    most: 3.2,
    because: 'accept, take, append: the waiting client gets the outcome',
  },
  commandsOfTask: {
    most: 64.5,
    because:
      'all of the above, each command within its scripts, and the end of the subscription of the caller who waits; 53 before quotas asked for four numbers and counted the open tasks of the tenant, 59 before tenants took turns: tags are asked for and noted when jobs are added, and the highest one when they are taken, 61 before each task came into the index of its agent and moved in it at its end',
  },
  scriptsOfTaskAmongMany: {
    most: 1.3,
    because: 'nobody waits for it: one script accepts, one takes, and one ends sixteen at most, as they come together',
  },
  commandsOfTaskAmongMany: {
    most: 41,
    because:
      'as above: what is the same for sixteen is asked and written once; 34 before quotas, 38.4 before tenants took turns; one more or less, as they come together',
  },
  fileBytesOfTask: {
    most: 6_120,
    because:
      'the append-only file, which replicas get as well, has every key by its whole name in each of some 40 writes; the content is a tenth of it; 5,090 before each event had an incarnation and each turn a run, 5,300 before the open tasks of a tenant were counted, 5,450 before jobs had tenants and tags, 5,720 before each task was in the index of its agent; the name of the worker, with that of its host, is written five times',
  },
  fileBytesOfEarlyChunk: {
    most: 1_150,
    because: 'a text of up to 1,024 bytes is a field of the hash, and written anew with each chunk',
  },
  fileBytesOfChunk: {
    most: 655,
    because:
      'the event in the stream, the chunk at the end of the text, seq and turn_seq; three keys by their whole names',
  },
  fileBytesOfLateChunk: {
    most: 30,
    because:
      'beyond one at chunk 100: the numbers have more digits, and a renewal of the lease may fall into the sample',
  },
  streamBytesOfChunk: { most: 312, because: 'the event as JSON, in the nodes of the stream; ids and mark are packed' },
  wireBytesOfEvent: {
    most: 30,
    because:
      'beside the JSON: id with its incarnation and data and their line breaks, and the length that HTTP puts before each write',
  },
  jsonBytesOfChunk: {
    most: 222,
    because: 'beside the text: taskId, contextId and artifactId, 36 bytes each, and the names that A2A gives things',
  },
  writesOfEvent: { most: 1, because: 'an event that comes alone is written at once' },
  writesOfBurst: { most: 1, because: 'events that are there at once leave in one write' },
  connectionsOfGateway: { most: 2, because: 'one for commands, one for channels' },
  connectionsOfHundredStreams: { most: 0, because: 'all streams of a gateway share the one for channels' },
  checksOfStreams: {
    most: 1,
    because: 'every 3 s one script looks for 32 open streams at once whether a last message was lost',
  },
  connectionsOfWorker: {
    most: 4,
    because: 'commands, channels, and one that waits for jobs of its agent and one for webhooks',
  },
  connectionsOfWorkerPerShard: { most: 2, because: 'an agent and the webhooks have a queue on each shard' },
  allocatedToSend: {
    most: 48_400,
    because:
      'bytes: HTTP and its headers, the parsed request, 640 for its event of the audit trail, and a script with some thirty arguments, which it might share with others; 52,600 before these became one string at once; 48,000 before each message had the id of its request',
  },
  allocatedToGet: {
    most: 28_900,
    because:
      'bytes: HTTP, one call of a script; the task itself is in memory; 33,600 before the arguments of a script became one string and the headers one list, and before the gate let a caller whom it knows in without promises',
  },
  allocatedToDeliver: { most: 7_600, because: 'bytes: the message of the channel, its frame, and one write' },
} as const satisfies Record<string, Budget>;
