"""A server of the SDK for Python 1.3 as its documentation sets it up: `agent.py [<PostgreSQL URL> [cluster]]`. Its tasks
are in memory, in the database, or in the database with events that other replicas read. Prints its URL when it listens.
Its agent completes each task, `chunks …` after 20 s."""

import asyncio
import socket
import sys

import uvicorn
from a2a.helpers.proto_helpers import new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.cluster import DatabaseTaskEventStream, VersionedDatabaseTaskStore
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_jsonrpc_routes
from a2a.server.tasks import DatabaseTaskStore, InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2 as pb
from sqlalchemy.ext.asyncio import create_async_engine
from starlette.applications import Starlette

DATABASE, CLUSTER = [*sys.argv[1:], None, None][:2]


class Executor(AgentExecutor):
    async def execute(self, context, queue):
        if not context.current_task:
            await queue.enqueue_event(new_task_from_user_message(context.message))
        task = TaskUpdater(queue, context.task_id, context.context_id)
        await task.start_work()
        if context.get_user_input().startswith('chunks'):
            await asyncio.sleep(20)
        await task.complete()

    async def cancel(self, context, queue):
        await TaskUpdater(queue, context.task_id, context.context_id).cancel()


def stores():
    if not DATABASE:
        return {'task_store': InMemoryTaskStore()}
    # 64 callers, and as many events at once.
    engine = create_async_engine(DATABASE, pool_size=40, max_overflow=40)
    if not CLUSTER:
        return {'task_store': DatabaseTaskStore(engine)}
    return {'task_store': VersionedDatabaseTaskStore(engine), 'event_stream': DatabaseTaskEventStream(engine)}


listener = socket.create_server(('127.0.0.1', 0))
url = f'http://127.0.0.1:{listener.getsockname()[1]}'
card = pb.AgentCard(
    name='Bench',
    description='For measurements.',
    version='1',
    capabilities=pb.AgentCapabilities(streaming=True),
    default_input_modes=['text/plain'],
    default_output_modes=['text/plain'],
    supported_interfaces=[pb.AgentInterface(protocol_binding='JSONRPC', url=url, protocol_version='1.0')],
    skills=[pb.AgentSkill(id='s', name='S', description='S', tags=['s'])],
)
handler = DefaultRequestHandler(agent_executor=Executor(), agent_card=card, **stores())
app = Starlette(routes=create_jsonrpc_routes(request_handler=handler, rpc_url='/'))
print(f'listening on {url}', flush=True)
uvicorn.Server(uvicorn.Config(app, log_level='warning')).run([listener])
