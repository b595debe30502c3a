/** A task as A2A 0.3 has it. The SDK that knows how is loaded only where there are such clients. @param json of a Task */
export async function toLegacyTask(json: string): Promise<string> {
  const [{ Task }, { V03PushNotificationSerializer }] = await Promise.all([
    import('@a2a-js/sdk'),
    import('@a2a-js/sdk/compat/v0_3/server'),
  ]);
  const task = Task.fromJSON(JSON.parse(json));
  const { body } = new V03PushNotificationSerializer().serialize({ payload: { $case: 'task', value: task } }, task);
  return typeof body === 'string' ? body : JSON.stringify(body);
}
