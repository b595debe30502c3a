import { type Json, withTextAfter } from './task-json.ts';

/*
 * The generation of a task (docs/a2a-1-1.md) is the number of its last event: 1 for a new task, and one more with every
 * event. JSON has it as a string, as ProtoJSON writes an int64. It is inserted into the stored JSON without parsing it.
 */

const ofTask = ['{'];
const ofResponse = ['{"task":{', '{"statusUpdate":{', '{"artifactUpdate":{'];

const member = (seq: number): string => `"generation":"${seq}",`;

export function taskWithGeneration(task: Json, seq: number): Json {
  return withTextAfter(task, ofTask, member(seq));
}

/** A SendMessageResponse or a StreamResponse. A plain Message has no generation. */
export function responseWithGeneration(response: Json, seq: number): Json {
  return withTextAfter(response, ofResponse, member(seq));
}
