"""An agent elsewhere as users of google-adk call it: `client.py <base URL> <text> <text> …`, one conversation."""

import asyncio
import json
import sys
import warnings

warnings.filterwarnings('ignore')

from google.adk.agents.remote_a2a_agent import RemoteA2aAgent
from google.adk.runners import InMemoryRunner
from google.genai import types

URL, *TEXTS = sys.argv[1:]


async def main():
    agent = RemoteA2aAgent(name='remote', agent_card=f'{URL}/.well-known/agent-card.json')
    runner = InMemoryRunner(agent=agent, app_name='interop')
    session = await runner.session_service.create_session(app_name='interop', user_id='user')
    for text in TEXTS:
        message = types.Content(role='user', parts=[types.Part(text=text)])
        said, error = [], None
        async for event in runner.run_async(user_id='user', session_id=session.id, new_message=message):
            error = error or event.error_message
            for part in (event.content and event.content.parts) or []:
                if part.function_call:
                    said.append((part.function_call.args or {}).get('input_required'))
                elif part.text and not event.partial:
                    said.append(part.text)
        print(json.dumps({'case': text, **({'failed': error} if error else {'got': said})}), flush=True)


asyncio.run(main())
