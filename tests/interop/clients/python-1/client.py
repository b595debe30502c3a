"""The Python SDK 1.x as its users write it: `client.py <base URL> <binding> <version>`, a line of JSON for each case."""

import asyncio
import json
import sys
from uuid import uuid4

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import a2a_pb2 as pb

URL, BINDING, VERSION = sys.argv[1:4]
WEBHOOK = 'https://example.com/hook'


def request(scenario, text='Hello', task=None):
    message = pb.Message(message_id=f'{scenario}-{uuid4()}', role=pb.ROLE_USER, parts=[pb.Part(text=text)])
    if task:
        message.task_id, message.context_id = task.id, task.context_id
    return pb.SendMessageRequest(message=message)


def state(status):
    return pb.TaskState.Name(status.state).removeprefix('TASK_STATE_').lower().replace('_', '-')


def text(parts):
    return ''.join(part.text for part in parts)


def fact(event):
    kind = event.WhichOneof('payload')
    if kind == 'status_update':
        return state(event.status_update.status)
    return f'artifact {text(event.artifact_update.artifact.parts)}' if kind == 'artifact_update' else kind


async def error(call):
    try:
        await call
    except Exception as thrown:
        return {'error': type(thrown).__name__.removesuffix('Error'), 'message': str(thrown)}
    return {'error': None}


class Cases:
    def __init__(self, plain, streaming):
        self.plain, self.streaming = plain, streaming

    async def ask(self, *args):
        return [event async for event in self.plain.send_message(request(*args))][-1]

    async def task(self, *args):
        return (await self.ask(*args)).task

    async def follow(self, *args):
        return [event async for event in self.streaming.send_message(request(*args))]

    async def send(self):
        task = await self.task('tck-complete-task')
        return {'state': state(task.status), 'text': text(task.status.message.parts)}

    async def reply(self):
        return text((await self.ask('tck-message-response')).message.parts)

    async def stream(self):
        return [fact(event) for event in await self.follow('tck-stream-artifact-chunked')]

    async def follow_up(self):
        task = await self.task('tck-input-required')
        events = await self.follow('tck-complete-task', 'More', task)
        return {'asked': state(task.status), 'events': [fact(event) for event in events]}

    async def get(self):
        task = await self.task('tck-complete-task')
        return state((await self.plain.get_task(pb.GetTaskRequest(id=task.id))).status)

    async def list(self):
        task = await self.task('tck-complete-task')
        page = await self.plain.list_tasks(pb.ListTasksRequest(context_id=task.context_id))
        return {'tasks': [each.id == task.id for each in page.tasks], 'pageSize': page.page_size}

    async def cancel(self):
        task = await self.task('tck-input-required')
        return state((await self.plain.cancel_task(pb.CancelTaskRequest(id=task.id))).status)

    async def not_found(self):
        return (await error(self.plain.get_task(pb.GetTaskRequest(id='nothing'))))['error']

    async def not_cancelable(self):
        task = await self.task('tck-complete-task')
        return (await error(self.plain.cancel_task(pb.CancelTaskRequest(id=task.id))))['error']

    async def invalid(self):
        bad = request('tck-complete-task')
        bad.message.ClearField('parts')

        async def send():
            async for _ in self.plain.send_message(bad):
                pass

        found = await error(send())
        return {'error': found['error'], 'namesField': 'message.parts' in found['message']}

    async def stream_errors(self):
        task = await self.task('tck-complete-task')
        bad = request('tck-complete-task')
        bad.message.ClearField('parts')

        async def read(events):
            async for _ in events:
                pass

        streams = {
            'unknown': self.streaming.subscribe(pb.SubscribeToTaskRequest(id='nothing')),
            'ended': self.streaming.subscribe(pb.SubscribeToTaskRequest(id=task.id)),
            'invalid': self.streaming.send_message(bad),
        }
        return {name: (await error(read(events)))['error'] for name, events in streams.items()}

    async def list_after(self):
        task = await self.task('tck-complete-task')
        found = []
        for year in (2000, 2050):
            after = pb.ListTasksRequest(context_id=task.context_id)
            after.status_timestamp_after.FromJsonString(f'{year}-01-01T00:00:00Z')
            found.append(len((await self.plain.list_tasks(after)).tasks))
        return found

    async def push(self):
        task = await self.task('tck-input-required')
        ids = {'task_id': task.id, 'id': 'hook'}
        await self.plain.create_task_push_notification_config(pb.TaskPushNotificationConfig(url=WEBHOOK, **ids))
        return (await self.plain.get_task_push_notification_config(pb.GetTaskPushNotificationConfigRequest(**ids))).url

    async def push_list(self):
        task = await self.task('tck-input-required')
        ids = {'task_id': task.id, 'id': 'hook'}
        every = pb.ListTaskPushNotificationConfigsRequest(task_id=task.id)
        await self.plain.create_task_push_notification_config(pb.TaskPushNotificationConfig(url=WEBHOOK, **ids))
        listed = len((await self.plain.list_task_push_notification_configs(every)).configs)
        await self.plain.delete_task_push_notification_config(pb.DeleteTaskPushNotificationConfigRequest(**ids))
        left = len((await self.plain.list_task_push_notification_configs(every)).configs)
        return {'listed': listed, 'left': left}


async def main():
    async with httpx.AsyncClient(timeout=20) as http:
        card = await A2ACardResolver(http, URL).get_agent_card()
        # An agent with only this version: the SDK would choose the newest.
        kept = [each for each in card.supported_interfaces if each.protocol_version == VERSION]
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(kept)

        def client(streaming):
            config = ClientConfig(
                streaming=streaming,
                httpx_client=http,
                grpc_channel_factory=grpc.aio.insecure_channel,
                supported_protocol_bindings=[BINDING],
            )
            return ClientFactory(config).create(card)

        cases = Cases(client(False), client(True))
        names = [name for name in vars(Cases) if name not in ('__init__', 'ask', 'task', 'follow') and name[0] != '_']
        print(json.dumps({'case': 'card', 'got': card.name}), flush=True)
        for name in names:
            try:
                got = {'got': await getattr(cases, name)()}
            except Exception as thrown:
                got = {'failed': f'{type(thrown).__name__}: {thrown}'}
            print(json.dumps({'case': name, **got}), flush=True)


asyncio.run(main())
