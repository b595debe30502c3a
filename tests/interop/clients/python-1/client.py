"""The Python SDK 1.x as its users write it: `client.py <base URL> <binding> <version> <webhook> [<ended task>]`, a line
of JSON for each case. With the webhook `none`, the cases of an agent without webhooks that requires an extension. With
the id of an ended task, the cases of a completed task are about that one."""

import asyncio
import json
import sys
from uuid import uuid4

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import a2a_pb2 as pb

URL, BINDING, VERSION, HOOK, *ENDED = sys.argv[1:]
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

    async def task(self, scenario):
        if scenario == 'tck-complete-task' and ENDED:
            return await self.plain.get_task(pb.GetTaskRequest(id=ENDED[0]))
        return (await self.ask(scenario)).task

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

    async def resubscribe(self):
        stream = self.streaming.send_message(request('test-resubscribe-message-id'))
        task_id = (await anext(stream)).task.id
        await stream.aclose()
        events = []
        async for event in self.streaming.subscribe(pb.SubscribeToTaskRequest(id=task_id)):
            if not events:
                await self.plain.cancel_task(pb.CancelTaskRequest(id=task_id))
            events.append(fact(event))
        return [events[0], events[-1]]

    async def webhook(self):
        asked = request('tck-complete-task')
        config = pb.TaskPushNotificationConfig(id='hook', url=HOOK, token='secret')
        asked.configuration.task_push_notification_config.CopyFrom(config)
        return [event async for event in self.plain.send_message(asked)][-1].task.id

    async def errors(self):
        ended = await self.task('tck-complete-task')
        unknown = pb.Task(id='nothing')
        elsewhere = request('tck-complete-task', task=await self.task('tck-input-required'))
        elsewhere.message.context_id = 'elsewhere'
        strange = request('tck-complete-task')
        strange.message.parts[0].media_type = 'model/gltf+json'
        none = {'task_id': 'nothing', 'id': 'hook'}
        hook = pb.TaskPushNotificationConfig(url=WEBHOOK, **none)
        waiting = await self.task('tck-input-required')
        no_url = pb.TaskPushNotificationConfig(task_id=waiting.id, id='hook', url='no URL')
        no_config = pb.GetTaskPushNotificationConfigRequest(task_id=waiting.id, id='nothing')

        async def send(message):
            async for _ in self.plain.send_message(message):
                pass

        calls = {
            'send to no task': send(request('tck-complete-task', task=unknown)),
            'send to an ended task': send(request('tck-complete-task', task=ended)),
            'send to another context': send(elsewhere),
            'send a strange type': send(strange),
            'list a wrong page': self.plain.list_tasks(pb.ListTasksRequest(page_token='nothing')),
            'cancel no task': self.plain.cancel_task(pb.CancelTaskRequest(id='nothing')),
            'hook of no task': self.plain.create_task_push_notification_config(hook),
            'hook without URL': self.plain.create_task_push_notification_config(no_url),
            'read no hook': self.plain.get_task_push_notification_config(no_config),
            'list hooks of no task': self.plain.list_task_push_notification_configs(
                pb.ListTaskPushNotificationConfigsRequest(task_id='nothing')
            ),
            'delete a hook of no task': self.plain.delete_task_push_notification_config(
                pb.DeleteTaskPushNotificationConfigRequest(**none)
            ),
            'extended card': self.plain.get_extended_agent_card(pb.GetExtendedAgentCardRequest()),
        }
        return {name: (await error(call))['error'] for name, call in calls.items()}

    async def refusals(self):
        none = {'task_id': 'nothing', 'id': 'hook'}

        async def read(events):
            async for _ in events:
                pass

        calls = {
            'send': read(self.plain.send_message(request('tck-complete-task'))),
            'stream': read(self.streaming.send_message(request('tck-complete-task'))),
            'hook': self.plain.create_task_push_notification_config(
                pb.TaskPushNotificationConfig(url=WEBHOOK, **none)
            ),
            'read a hook': self.plain.get_task_push_notification_config(
                pb.GetTaskPushNotificationConfigRequest(**none)
            ),
        }
        return {name: (await error(call))['error'] for name, call in calls.items()}

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
        every = [name for name in vars(Cases) if name not in ('ask', 'task', 'follow', 'refusals') and name[0] != '_']
        names = every if HOOK != 'none' else ['refusals']
        print(json.dumps({'case': 'card', 'got': card.name}), flush=True)
        for name in names:
            try:
                got = {'got': await getattr(cases, name)()}
            except Exception as thrown:
                got = {'failed': f'{type(thrown).__name__}: {thrown}'}
            print(json.dumps({'case': name, **got}), flush=True)


asyncio.run(main())
