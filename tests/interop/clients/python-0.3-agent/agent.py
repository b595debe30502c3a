"""An agent of the Python SDK 0.3, as its users write it: `agent.py <port>`. The text of a message says what it does."""

import asyncio
import base64
import sys

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AFastAPIApplication, A2ARESTFastAPIApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    FilePart,
    FileWithBytes,
    Part,
    TextPart,
)
from a2a.utils import new_agent_text_message, new_task
from fastapi import FastAPI

PORT = int(sys.argv[1])


def said(text):
    return Part(root=TextPart(text=text))


class Executor(AgentExecutor):
    async def execute(self, context, queue):
        wish = context.get_user_input()
        if wish == 'reply':
            await queue.enqueue_event(new_agent_text_message('Just a message'))
            return
        if not context.current_task:
            await queue.enqueue_event(new_task(context.message))
        task = TaskUpdater(queue, context.task_id, context.context_id)
        await task.start_work()
        if wish == 'chunks':
            for index, text in enumerate(['Two ', 'pizzas ', '🍕🍕']):
                await task.add_artifact([said(text)], artifact_id='a', append=index > 0, last_chunk=index == 2)
        if wish == 'file':
            content = base64.b64encode(b'\x00\x01\xff').decode()
            file = FileWithBytes(bytes=content, mime_type='application/octet-stream', name='a.bin')
            await task.add_artifact([Part(root=FilePart(file=file))], artifact_id='f')
        if wish == 'boom':
            raise RuntimeError('The oven is cold')
        if wish == 'ask':
            await task.requires_input(task.new_agent_message([said('Which size?')]))
            return
        if wish == 'wait':
            await asyncio.sleep(60)
        await task.complete(task.new_agent_message([said('Done')]))

    async def cancel(self, context, queue):
        await TaskUpdater(queue, context.task_id, context.context_id).cancel()


url = f'http://127.0.0.1:{PORT}'
card = AgentCard(
    name='Python',
    description='An agent of the Python SDK.',
    version='1',
    url=f'{url}/rpc/',
    preferred_transport='JSONRPC',
    additional_interfaces=[
        AgentInterface(url=f'{url}/rpc/', transport='JSONRPC'),
        AgentInterface(url=f'{url}/rest', transport='HTTP+JSON'),
    ],
    capabilities=AgentCapabilities(streaming=True),
    default_input_modes=['text/plain'],
    default_output_modes=['text/plain'],
    skills=[AgentSkill(id='s', name='S', description='S', tags=['s'])],
)
handler = DefaultRequestHandler(agent_executor=Executor(), task_store=InMemoryTaskStore())
app = FastAPI()
app.mount('/rpc', A2AFastAPIApplication(card, handler).build())
app.mount('/rest', A2ARESTFastAPIApplication(card, handler).build())


@app.get('/.well-known/agent-card.json')
async def agent_card():
    return card.model_dump(by_alias=True, mode='json')


print('ready', flush=True)
uvicorn.run(app, host='127.0.0.1', port=PORT, log_level='warning')
