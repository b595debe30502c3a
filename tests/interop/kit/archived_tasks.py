# A plugin of pytest for the official compatibility kit (docs/conformance.md): its tests of ended tasks get tasks that
# Redis has forgotten, so that only the archive has them.
import os
import time

import pytest
from tests.compatibility import _task_helpers as helpers

KEPT_SECONDS = int(os.environ["RETENTION_MS"]) / 1000
MAKERS = ["create_completed_task", "create_multiturn_task", "create_multiturn_task_with_history"]


@pytest.fixture(scope="session", autouse=True)
def archived_tasks(transport_clients):
    made = {
        (name, client): getattr(helpers, name)(client) for client in transport_clients.values() for name in MAKERS
    }
    # Lists have them from the archive a second later.
    time.sleep(KEPT_SECONDS + 5)
    # Webhooks are gone with Redis, so their tests still make tasks of their own.
    from tests.compatibility.core_operations import test_task_history, test_task_lifecycle

    for module in (test_task_history, test_task_lifecycle):
        for name in set(MAKERS) & set(vars(module)):
            setattr(module, name, lambda client, name=name: made[name, client])
