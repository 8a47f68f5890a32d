"""Runs the calls of Hindsight's Python client that trilith has against it.

usage: check_hindsight.py URL   (URL is trilith's, with or without /compat/hindsight)
"""

import importlib.metadata
import sys

from hindsight_client import Hindsight

from checks import Checks

check = Checks(f"hindsight-client {importlib.metadata.version('hindsight-client')} (PyPI)")
call, refused = check.call, check.refused
client = Hindsight(base_url=sys.argv[1], api_key="any")


def texts(answer):
    return [r.text for r in answer.results]


call("create_bank", lambda: client.create_bank("ana", name="Ana's bank", mission="To help."),
     lambda a: (a.bank_id, a.name, a.mission) == ("ana", "Ana's bank", "To help."))
call("retain", lambda: client.retain("ana", "Ana likes green tea.", context="chat", document_id="d1",
                                     metadata={"a": "1"}, tags=["taste"], timestamp="2025-01-01T00:00:00Z"),
     lambda a: a.success and a.items_count == 1)
call("retain_batch", lambda: client.retain_batch("ana", [
    {"content": "Ana lives in Oslo."}, {"content": "Ana plays the cello.", "tags": ["music"]}]), lambda a: a.items_count == 2)
call("retain in another bank", lambda: client.retain("ben", "Ben likes coffee."))
call("recall", lambda: client.recall("ana", "What does Ana drink?"),
     lambda a: texts(a)[0] == "Ana likes green tea." and "Ben likes coffee." not in texts(a) and
     a.results[0].metadata == {"a": "1"} and a.results[0].document_id == "d1" and a.results[0].context == "chat")
call("recall without likeness", lambda: client.recall("ana", "zyzzyva"), lambda a: len(a.results) == 3)
call("recall by tags", lambda: client.recall("ana", "Ana", tags=["music"], tags_match="any_strict"),
     lambda a: texts(a) == ["Ana plays the cello."])
call("list_memories", lambda: client.list_memories("ana", limit=2, offset=2),
     lambda a: (a.total, len(a.items)) == (3, 1))
call("retain replaces a document", lambda: client.retain("ana", "Ana likes black tea.", document_id="d1"))
call("recall after that", lambda: client.recall("ana", "tea"),
     lambda a: "Ana likes black tea." in texts(a) and "Ana likes green tea." not in texts(a))
refused("reflect", lambda: client.reflect("ana", "What does Ana drink?"), "trilith")
call("delete_bank", lambda: client.delete_bank("ana"))
call("recall after delete_bank", lambda: client.recall("ana", "tea"), lambda a: a.results == [])
client.close()
check.end()
