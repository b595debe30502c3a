"""The Python SDK 0.3 as its users write it: `client.py <base URL> <binding>`, a line of JSON for each case."""

import asyncio
import json
import sys
from uuid import uuid4

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    Part,
    PushNotificationConfig,
    Role,
    TaskArtifactUpdateEvent,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TaskStatusUpdateEvent,
    TextPart,
)

URL, BINDING = sys.argv[1:3]
WEBHOOK = 'https://example.com/hook'


def message(scenario, text='Hello', task=None):
    ids = {'task_id': task.id, 'context_id': task.context_id} if task else {}
    return Message(message_id=f'{scenario}-{uuid4()}', role=Role.user, parts=[Part(root=TextPart(text=text))], **ids)


def text(parts):
    return ''.join(part.root.text for part in parts)


def fact(event):
    if isinstance(event, Message):
        return 'message'
    _, update = event
    if isinstance(update, TaskStatusUpdateEvent):
        return update.status.state.value
    return f'artifact {text(update.artifact.parts)}' if isinstance(update, TaskArtifactUpdateEvent) else 'task'


async def error(call):
    """The SDK has one class for all errors of a binding, and over REST only the answer has their text."""
    try:
        await call
    except Exception as thrown:
        answer = getattr(thrown.__cause__, 'response', None)
        return f'{thrown} {answer.text if answer else ""}'
    return ''


class Cases:
    def __init__(self, plain, streaming):
        self.plain, self.streaming = plain, streaming

    async def ask(self, *args):
        return [event async for event in self.plain.send_message(message(*args))][-1]

    async def task(self, *args):
        return (await self.ask(*args))[0]

    async def follow(self, *args):
        return [fact(event) async for event in self.streaming.send_message(message(*args))]

    async def send(self):
        task = await self.task('tck-complete-task')
        return {'state': task.status.state.value, 'text': text(task.status.message.parts)}

    async def reply(self):
        return text((await self.ask('tck-message-response')).parts)

    async def stream(self):
        return await self.follow('tck-stream-artifact-chunked')

    async def follow_up(self):
        task = await self.task('tck-input-required')
        return {'asked': task.status.state.value, 'events': await self.follow('tck-complete-task', 'More', task)}

    async def get(self):
        task = await self.task('tck-complete-task')
        return (await self.plain.get_task(TaskQueryParams(id=task.id))).status.state.value

    async def cancel(self):
        task = await self.task('tck-input-required')
        return (await self.plain.cancel_task(TaskIdParams(id=task.id))).status.state.value

    async def not_found(self):
        found = await error(self.plain.get_task(TaskQueryParams(id='nothing')))
        return 'TaskNotFound' if 'does not exist' in found else found

    async def not_cancelable(self):
        task = await self.task('tck-complete-task')
        found = await error(self.plain.cancel_task(TaskIdParams(id=task.id)))
        return 'TaskNotCancelable' if 'has ended already' in found else found

    async def stream_errors(self):
        task = await self.task('tck-complete-task')
        bad = message('tck-complete-task')
        bad.parts = []

        async def read(events):
            async for _ in events:
                pass

        async def named(name, words, events):
            found = await error(read(events))
            return name if words in found else found

        return {
            'unknown': await named(
                'TaskNotFound', 'does not exist', self.streaming.resubscribe(TaskIdParams(id='nothing'))
            ),
            'ended': await named(
                'UnsupportedOperation', 'has ended', self.streaming.resubscribe(TaskIdParams(id=task.id))
            ),
            'invalid': await named('InvalidParams', 'parts', self.streaming.send_message(bad)),
        }

    async def push(self):
        task = await self.task('tck-input-required')
        config = PushNotificationConfig(id='hook', url=WEBHOOK)
        await self.plain.set_task_callback(TaskPushNotificationConfig(task_id=task.id, push_notification_config=config))
        ids = GetTaskPushNotificationConfigParams(id=task.id, push_notification_config_id='hook')
        return (await self.plain.get_task_callback(ids)).push_notification_config.url


async def main():
    async with httpx.AsyncClient(timeout=20) as http:
        card = await A2ACardResolver(http, URL).get_agent_card()

        def client(streaming):
            config = ClientConfig(
                streaming=streaming,
                httpx_client=http,
                grpc_channel_factory=grpc.aio.insecure_channel,
                supported_transports=[BINDING],
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
