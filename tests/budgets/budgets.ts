/** The upper limit of a cost, and the reason for it. Lower the number whenever a change makes it cheaper. */
export interface Budget {
  readonly most: number;
  readonly because: string;
}

/** Limits for an operation of the gateway. */
export interface OperationBudget {
  /** Round trips to Redis: commands sent together count once; those that the caller need not wait for count, too. */
  readonly trips: number;
  readonly commands: number;
  readonly because: string;
}

/** What each operation asks of Redis. */
export const operations = {
  sendImmediately: {
    trips: 1,
    commands: 1,
    because: 'one script writes the task and its job; the gateway composes the new task without reading it',
  },
  sendAndWait: {
    trips: 3,
    commands: 3,
    because:
      'accept, unsubscribe, and a subscription for every 64 tasks; the task is composed from its published events',
  },
  sendAndStream: {
    trips: 3,
    commands: 3,
    because: 'accept, unsubscribe, and a subscription for every 64 tasks; the events are published',
  },
  sendToTask: {
    trips: 2,
    commands: 2,
    because: 'accept, which adds the job, then the current task',
  },
  getTask: { trips: 1, commands: 1, because: 'one script reads all parts of a task' },
  getTaskAgain: { trips: 1, commands: 1, because: 'Redis confirms the version; the task is in memory' },
  getTaskAtOnce: {
    trips: 12,
    commands: 12,
    because: 'of twenty reads, those that arrive during another one are sent together, in five to seven groups',
  },
  getTaskUnchanged: { trips: 1, commands: 1, because: 'Redis confirms the version: 304' },
  getLargeTask: {
    trips: 2,
    commands: 2,
    because:
      'a script does not copy an artifact of 64 KiB or more: GETRANGE reads it, up to the length that the script returned',
  },
  subscribe: {
    trips: 4,
    commands: 4,
    because: 'whether the task exists, subscribe, its current position, unsubscribe at the end',
  },
  listTen: {
    trips: 2,
    commands: 2,
    because: 'the index returns ten ids, then one script reads all of these tasks',
  },
  cancelWaiting: { trips: 2, commands: 2, because: 'a script ends the task, then it is read' },
} as const satisfies Record<string, OperationBudget>;

/** Limits for everything else: the argument `measured` of keepBudget. */
export const budgets = {
  scriptsOfTask: {
    most: 3.2,
    because: 'accept, take, append; the published events contain the outcome',
  },
  commandsInScriptsOfTask: {
    most: 53,
    because:
      '20 to accept, 12 to take, 19 to end, and those that remove expired members of an index at one end in 32; 56.6 before the task that was just accepted kept its entry of the outbox when its turn begins, and while one end in eight removed them; 55.2 before jobs left their queue by one command, and one said that nothing runs and nothing is delayed; 53.3 before a tenant without open tasks kept its count',
  },
  commandsOfTask: {
    most: 59.5,
    because:
      'all of the above (56.5 measured; the rest is what idle processes do meanwhile on a busy machine), each command within its scripts, and the unsubscription of the waiting caller; 53 before quotas read four numbers and counted the open tasks of the tenant, 59 before tenants took turns: tags are read and written when jobs are added, and the highest one when they are taken, 61 before each task was added to the index of its agent and moved there at its end',
  },
  scriptsOfTaskAmongMany: {
    most: 1.2,
    because:
      'no client waits: a script accepts several, and another takes or ends up to sixteen together; of three rounds the one with the fewest counts: 0.3 to 0.95 measured',
  },
  commandsOfTaskAmongMany: {
    most: 36,
    because:
      'as above, but what sixteen tasks have in common is read and written once; 22 to 32 measured, in the round of three with the fewest: a machine that is too busy to group them takes more; 40 before plain tasks had short scripts and a process one lease for all its jobs',
  },
  commandsOfCopy: {
    most: 10,
    because:
      'two for its contents, in a script for ten tasks; one each for what else the archive keeps, the record, its time to live, the length of the stream, the attempts; two for the statuses; 9.0 measured, 11.1 before the first four events were read at once, 43 before what cannot say anything of an ended task was left out',
  },
  fileBytesOfTask: {
    most: 6_000,
    because:
      '5,730 measured, with what idle processes write meanwhile: the append-only file, which replicas get as well, has every key by its whole name in each of some 40 writes; the content is a tenth of it; 5,090 before each event had an incarnation and each turn a run, 5,300 before the open tasks of a tenant were counted, 5,450 before jobs had tenants and tags, 5,720 before each task was in the index of its agent; the name of the worker, with that of its host, is written five times',
  },
  keptBytesOfTask: {
    most: 2_960,
    because:
      'MEMORY USAGE of the record, the stream and the id of the message, for ten minutes after the end; 2,784 with the prefix `sw`, 1,712 of it the stream; 3,040 while the record had the answer twice, in its history and in its status',
  },
  writtenBytesOfEarlyChunk: {
    most: 935,
    because: 'a text of up to 1,024 bytes is a field of the hash, and written anew with each chunk',
  },
  commandsOfChunk: {
    most: 5,
    because: 'the fields that fence and number it, then the event, the text, the fields again, and the publication',
  },
  writtenBytesOfChunk: {
    most: 605,
    because:
      'the event in the stream, the chunk at the end of the text, seq and turn_seq; three keys by their whole names',
  },
  writtenBytesOfLateChunk: {
    most: 36,
    because: 'beyond one at chunk 100: the numbers have more digits, and after 10,000 events XADD has a MAXLEN',
  },
  readBytesOfChunk: { most: 167, because: 'the fields that fence and number it, never the text' },
  readBytesOfLateChunk: { most: 4, because: 'beyond one at chunk 100: the numbers have more digits' },
  commandsOfRunningTurns: {
    most: 200,
    because:
      'per second beside 600 turns: a process renews one lease for all of them, and checks each once in three leases; the rest is the waiting of an idle worker; 3,745 before leases were those of processes',
  },
  fileBytesOfRunningTurns: {
    most: 700,
    because:
      'per second: a lease is written seven times in five seconds, whatever runs, and the last check of leases; 90,900 before leases were those of processes',
  },
  streamBytesOfChunk: {
    most: 480,
    because:
      'the event as JSON in the nodes of the stream, with three in a node, and MEMORY USAGE adds 244 bytes a node',
  },
  wireBytesOfEvent: {
    most: 30,
    because:
      'beside the JSON: id with its incarnation and data and their line breaks, and the length that HTTP puts before each write',
  },
  jsonBytesOfChunk: {
    most: 222,
    because: "besides the text: taskId, contextId and artifactId, 36 bytes each, and A2A's field names",
  },
  writesOfEvent: { most: 1, because: 'an event that comes alone is written at once' },
  writesOfBurst: { most: 1, because: 'events that are available together are sent in one write' },
  connectionsOfGateway: { most: 2, because: 'one for commands, one for channels' },
  connectionsOfHundredStreams: { most: 0, because: 'all streams of a gateway share the one for channels' },
  checksOfStreams: {
    most: 1,
    because: 'every 3 s one script checks 32 open streams together for a lost last message',
  },
  connectionsOfWorker: {
    most: 3,
    because: 'one for commands, one for channels, and one that waits for the jobs of all its agents and for webhooks',
  },
  commandsOfIdleWorker: {
    most: 30,
    because:
      'a second, with one agent and one shard, those within scripts included: a check of the shard takes five, a report eight, two PINGs, and what is done every few seconds; 22 measured, 91 while each queue was polled and recovered by itself',
  },
  commandsOfIdleFleetPerShard: {
    most: 10,
    because:
      'a second, with 20 agents and 16 shards: one check of a shard for all queues; 7.7 measured, 545 while each queue was polled',
  },
  connectionsOfIdleFleet: { most: 20, because: 'as for one agent, with 16 shards: 18, and the one that counts' },
  connectionsOfWorkerPerShard: { most: 1, because: 'one waits for the jobs of all queues of a shard' },
  allocatedToSend: {
    most: 49_500,
    because:
      'bytes: HTTP and its headers, the parsed request, 640 for its event of the audit trail, and a script with some thirty arguments, which it might share with others; 52,600 before these became one string at once; 48,400 measured on an idle machine, 46,100 before a message had an input, a priority, a time to live and budgets of its principal; 47,200 before the media types of skills that have none were not collected',
  },
  allocatedToGet: {
    most: 29_000,
    because:
      'bytes: HTTP, one call of a script; the task itself is in memory; 33,600 before the arguments of a script became one string and the headers one list, and before the gate admitted known callers without promises, 28,720 before the error of a damaged task named it',
  },
  allocatedToDeliver: { most: 7_600, because: 'bytes: the message of the channel, its frame, and one write' },
} as const satisfies Record<string, Budget>;
