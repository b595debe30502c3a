"""An agent elsewhere as users of strands-agents call it: `client.py <base URL> <text> <text> …`, one conversation."""

import asyncio
import json
import sys

from strands.agent.a2a_agent import A2AAgent

URL, *TEXTS = sys.argv[1:]


async def main():
    agent = A2AAgent(endpoint=URL)
    for text in TEXTS:
        try:
            result = await agent.invoke_async(text)
            got = {'got': [block['text'] for block in result.message['content'] if 'text' in block]}
        except Exception as thrown:
            got = {'failed': f'{type(thrown).__name__}: {thrown}'}
        print(json.dumps({'case': text, **got}), flush=True)


asyncio.run(main())
