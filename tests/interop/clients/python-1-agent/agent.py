"""An agent of the Python SDK 1.x, as its users write it: `agent.py <port>`. The text of a message says what it does."""

import asyncio
import sys

import uvicorn
from a2a.helpers.proto_helpers import new_task_from_user_message, new_text_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2 as pb
from starlette.applications import Starlette
from starlette.routing import Mount

PORT = int(sys.argv[1])


class Executor(AgentExecutor):
    async def execute(self, context, queue):
        wish = context.get_user_input()
        if wish == 'reply':
            await queue.enqueue_event(new_text_message('Just a message', role=pb.ROLE_AGENT))
            return
        if not context.current_task:
            await queue.enqueue_event(new_task_from_user_message(context.message))
        task = TaskUpdater(queue, context.task_id, context.context_id)
        await task.start_work()
        if wish == 'chunks':
            for index, text in enumerate(['Two ', 'pizzas ', '🍕🍕']):
                await task.add_artifact([pb.Part(text=text)], artifact_id='a', append=index > 0, last_chunk=index == 2)
        if wish == 'file':
            part = pb.Part(raw=b'\x00\x01\xff', media_type='application/octet-stream', filename='a.bin')
            await task.add_artifact([part], artifact_id='f')
        if wish == 'boom':
            raise RuntimeError('The oven is cold')
        if wish == 'ask':
            await task.requires_input(task.new_agent_message([pb.Part(text='Which size?')]))
            return
        if wish == 'wait':
            await asyncio.sleep(60)
        await task.complete(task.new_agent_message([pb.Part(text='Done')]))

    async def cancel(self, context, queue):
        await TaskUpdater(queue, context.task_id, context.context_id).cancel()


def interface(binding, path):
    return pb.AgentInterface(
        protocol_binding=binding, url=f'http://127.0.0.1:{PORT}{path}', protocol_version='1.0'
    )


card = pb.AgentCard(
    name='Python',
    description='An agent of the Python SDK.',
    version='1',
    capabilities=pb.AgentCapabilities(streaming=True),
    default_input_modes=['text/plain'],
    default_output_modes=['text/plain'],
    supported_interfaces=[interface('JSONRPC', '/rpc'), interface('HTTP+JSON', '/rest')],
    skills=[pb.AgentSkill(id='s', name='S', description='S', tags=['s'])],
)
handler = DefaultRequestHandler(agent_executor=Executor(), task_store=InMemoryTaskStore(), agent_card=card)
app = Starlette(
    routes=[
        *create_agent_card_routes(agent_card=card),
        *create_jsonrpc_routes(request_handler=handler, rpc_url='/rpc'),
        Mount('/rest', routes=create_rest_routes(request_handler=handler)),
    ]
)
print('ready', flush=True)
uvicorn.run(app, host='127.0.0.1', port=PORT, log_level='warning')
