/** What a finish reason says about an answer. */
export type Finish = 'whole' | 'cut-off' | 'withheld' | 'failed';

/**
 * Finish reasons in lower case, by OpenAI's API (stop, length, tool_calls, function_call, content_filter) and by the
 * servers of docs/models.md.
 */
const finishes: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ...among('whole', 'stop', 'tool_calls', 'function_call', 'tool_call', 'tool_use'),
  ...among('whole', 'eos', 'eos_token', 'end', 'end_turn', 'stop_sequence', 'complete', 'completed', 'done'),
  ...among('cut-off', 'length', 'max_tokens', 'max_output_tokens', 'model_length', 'model_context_window_exceeded'),
  ...among('withheld', 'content_filter', 'content_filtered', 'safety', 'image_safety', 'recitation', 'language'),
  ...among('withheld', 'blocklist', 'prohibited_content', 'spii', 'sensitive', 'refusal', 'moderation'),
  ...among('failed', 'error', 'network_error', 'insufficient_system_resource', 'malformed_function_call'),
  ...among('failed', 'unexpected_tool_call', 'abort', 'aborted', 'cancel', 'cancelled', 'canceled', 'timeout'),
  ...among('failed', 'interrupted'),
]);

/** @returns undefined for a reason that no known server sends */
export function finishOf(reason: string): Finish | undefined {
  return finishes.get(reason.toLowerCase().replaceAll('-', '_'));
}

function among(finish: Finish, ...reasons: readonly string[]): [string, Finish][] {
  return reasons.map((reason) => [reason, finish]);
}
