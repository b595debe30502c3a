"""The Python SDK 0.3 as its users write it: `client.py <base URL> <binding> 0.3 <webhook> [<ended task>]`, a line of
JSON for each case. With the webhook `none`, the cases of an agent without webhooks that requires an extension. With the
id of an ended task, the cases of a completed task are about that one."""

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

URL, BINDING, _, HOOK, *ENDED = sys.argv[1:]
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
        # Of a stream's answer it has read nothing.
        is_read = answer is not None and answer.is_closed and hasattr(answer, '_content')
        return f'{thrown} {answer.text if is_read else ""}'
    return ''


class Cases:
    def __init__(self, plain, streaming, hooked):
        self.plain, self.streaming, self.hooked = plain, streaming, hooked

    async def ask(self, *args):
        return [event async for event in self.plain.send_message(message(*args))][-1]

    async def task(self, scenario):
        if scenario == 'tck-complete-task' and ENDED:
            return await self.plain.get_task(TaskQueryParams(id=ENDED[0]))
        return (await self.ask(scenario))[0]

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

    async def resubscribe(self):
        stream = self.streaming.send_message(message('test-resubscribe-message-id'))
        task, _ = await anext(stream)
        await stream.aclose()
        events = []
        async for event in self.streaming.resubscribe(TaskIdParams(id=task.id)):
            if not events:
                await self.plain.cancel_task(TaskIdParams(id=task.id))
            events.append(fact(event))
        return [events[0], events[-1]]

    async def webhook(self):
        return (await self.hooked.send_message(message('tck-complete-task')).__anext__())[0].id

    async def errors(self):
        ended = await self.task('tck-complete-task')
        unknown = ended.model_copy(update={'id': 'nothing'})
        waiting = await self.task('tck-input-required')
        elsewhere = message('tck-complete-task', task=waiting.model_copy(update={'context_id': 'elsewhere'}))
        hook = PushNotificationConfig(id='hook', url=WEBHOOK)
        no_url = PushNotificationConfig(id='hook', url='no URL')

        async def send(each):
            async for _ in self.plain.send_message(each):
                pass

        def callback(task_id, config):
            return self.plain.set_task_callback(
                TaskPushNotificationConfig(task_id=task_id, push_notification_config=config)
            )

        calls = {
            'send to no task': send(message('tck-complete-task', task=unknown)),
            'send to an ended task': send(message('tck-complete-task', task=ended)),
            'send to another context': send(elsewhere),
            'cancel no task': self.plain.cancel_task(TaskIdParams(id='nothing')),
            'hook of no task': callback('nothing', hook),
            'hook without URL': callback(waiting.id, no_url),
            'read no hook': self.plain.get_task_callback(
                GetTaskPushNotificationConfigParams(id=waiting.id, push_notification_config_id='nothing')
            ),
        }
        return {name: named(await error(call)) for name, call in calls.items()}

    async def refusals(self):
        async def read(events):
            async for _ in events:
                pass

        hook = PushNotificationConfig(id='hook', url=WEBHOOK)
        ids = GetTaskPushNotificationConfigParams(id='nothing', push_notification_config_id='hook')
        calls = {
            'send': read(self.plain.send_message(message('tck-complete-task'))),
            'stream': read(self.streaming.send_message(message('tck-complete-task'))),
            'hook': self.plain.set_task_callback(
                TaskPushNotificationConfig(task_id='nothing', push_notification_config=hook)
            ),
            'read a hook': self.plain.get_task_callback(ids),
        }
        return {name: named(await error(call)) for name, call in calls.items()}


# Words of our errors: the SDK keeps the text alone.
WORDS = {
    'does not exist': 'TaskNotFound',
    'has ended': 'UnsupportedOperation',
    'context': 'InvalidParams',
    'URL': 'InvalidParams',
    'push': 'PushNotificationNotSupported',
    'extension': 'ExtensionSupportRequired',
}


def named(text):
    return next((name for words, name in WORDS.items() if words in text), text)


async def main():
    async with httpx.AsyncClient(timeout=20) as http:
        card = await A2ACardResolver(http, URL).get_agent_card()

        def client(streaming, *hooks):
            config = ClientConfig(
                streaming=streaming,
                httpx_client=http,
                grpc_channel_factory=grpc.aio.insecure_channel,
                supported_transports=[BINDING],
                push_notification_configs=list(hooks),
            )
            return ClientFactory(config).create(card)

        hook = PushNotificationConfig(id='hook', url=HOOK, token='secret')
        cases = Cases(client(False), client(True), client(False, hook))
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
