"""Runs every call of mem0's Python client, in any of its three generations, against trilith.

usage: check_mem0.py URL   (URL is trilith's, with or without /compat/mem0)
"""

import importlib.metadata
import os
import sys

os.environ["MEM0_TELEMETRY"] = "False"  # before the import: nothing but loopback is asked

import logging  # noqa: E402

from mem0 import MemoryClient  # noqa: E402

from checks import Checks  # noqa: E402

logging.disable(logging.CRITICAL)  # the client writes every refusal that is wanted here
version = importlib.metadata.version("mem0ai")
generation = tuple(int(n) for n in version.split(".")[:2])
check = Checks(f"mem0ai {version} (PyPI)")
call, refused = check.call, check.refused


def results(answer):
    return answer["results"] if isinstance(answer, dict) else answer


def texts(answer):
    return [m["memory"] for m in results(answer)]


client = call("ping", lambda: MemoryClient(api_key="any", host=sys.argv[1]))
if client is None:
    check.end()
listing = {"version": "v2"} if generation < (1, 0) else {}
ana = {"user_id": "ana"}
added = call("add", lambda: client.add(
    [{"role": "user", "content": "I live in Oslo and I am allergic to peanuts."},
     {"role": "assistant", "content": "Noted, no peanuts."}], user_id="ana"),
    lambda a: len(results(a)) == 1 and results(a)[0]["event"] == "ADD" and "Oslo" in texts(a)[0])
first = results(added)[0]["id"] if added else ""
call("add with options", lambda: client.add(
    [{"role": "user", "content": "My sister Bea plays the cello."}], user_id="ana", run_id="r1", app_id="notes",
    metadata={"topic": "family", "rank": 3}, timestamp=1700000000, expiration_date="2090-01-31"),
    lambda a: results(a)[0]["metadata"] == {"topic": "family", "rank": 3})
call("add as it is", lambda: client.add(
    [{"role": "user", "content": "Room 12"}, {"role": "assistant", "content": "Booked."}], user_id="ana", infer=False),
    lambda a: texts(a) == ["Room 12", "Booked."])
call("add of an agent", lambda: client.add(
    [{"role": "user", "content": "Be brief."}, {"role": "assistant", "content": "I shall answer briefly."}],
    agent_id="bot"), lambda a: "I shall answer briefly." in texts(a))
call("add for somebody else", lambda: client.add("I live in Lima.", user_id="ben"))
refused("add for nobody", lambda: client.add("I live in Rome."), "user_id")

call("search", lambda: client.search("Where do I live?", filters=ana, **listing),
     lambda a: "Oslo" in texts(a)[0] and 0 <= results(a)[0]["score"] <= 1 and not any("Lima" in t for t in texts(a)))
call("search without likeness", lambda: client.search("zyzzyva", filters=ana, **listing), lambda a: len(results(a)) > 0)
call("search with conditions", lambda: client.search(
    "sister", filters={"AND": [ana, {"created_at": {"gte": "2023-01-01", "lt": "2024-01-01"}}, {"OR": [{"run_id": "*"}]}]},
    top_k=3, rerank=True, **listing), lambda a: texts(a) == ["My sister Bea plays the cello."])
call("search by metadata", lambda: client.search(
    "music", filters={"AND": [ana, {"metadata": {"topic": "family"}}]}, **listing),
    lambda a: texts(a) == ["My sister Bea plays the cello."])
call("search above a threshold", lambda: client.search("peanuts", filters=ana, threshold=0.05, **listing),
     lambda a: len(results(a)) > 0 and all(m["score"] >= 0.05 for m in results(a)))
if generation < (2, 0):
    call("search by user", lambda: client.search("Where do I live?", user_id="ana", limit=2),
         lambda a: len(results(a)) == 2 and "Oslo" in texts(a)[0])
refused("search for nobody", lambda: client.search("Where?", filters={}, **listing), "user_id|[Ff]ilter|400")

call("get_all", lambda: client.get_all(filters=ana, **listing), lambda a: len(results(a)) == 4)
call("get_all by pages", lambda: client.get_all(filters=ana, page=2, page_size=3, **listing),
     lambda a: a["count"] == 4 and len(a["results"]) == 1 and a["next"] is None and "page=1" in a["previous"])
if generation < (2, 0):
    call("get_all by user", lambda: client.get_all(user_id="ana"), lambda a: len(results(a)) == 4)
    call("get_all of an app", lambda: client.get_all(user_id="ana", app_id="notes"), lambda a: len(results(a)) == 1)
call("get", lambda: client.get(first), lambda a: a["id"] == first and a["user_id"] == "ana" and "Oslo" in a["memory"])
refused("get of what is not there", lambda: client.get("11111111-1111-4111-8111-111111111111"), "404|NotFound")

updated = call("update", lambda: client.update(first, text="I live in Bergen.", metadata={"checked": True}),
               lambda a: a["memory"] == "I live in Bergen." and a["metadata"] == {"checked": True})
call("get under the old id", lambda: client.get(first), lambda a: a["memory"] == "I live in Bergen.")
call("history", lambda: client.history(first),
     lambda a: [e["event"] for e in a] == ["ADD", "UPDATE"] and a[1]["new_memory"] == "I live in Bergen.")
call("search after an update", lambda: client.search("Where do I live?", filters=ana, **listing),
     lambda a: "Bergen" in texts(a)[0] and not any("Oslo" in t for t in texts(a)))
if generation >= (2, 0):  # before, the client's own method ends with a TypeError whatever the server answers
    call("feedback", lambda: client.feedback(first, feedback="POSITIVE", feedback_reason="right"),
         lambda a: a["feedback"] == "POSITIVE")

call("users", client.users, lambda a: {(e["type"], e["name"]) for e in a["results"]} == {
    ("user", "ana"), ("user", "ben"), ("agent", "bot"), ("run", "r1"), ("app", "notes")})
pair = [m["id"] for m in results(client.get_all(filters=ana, **listing)) if m["memory"] in ("Room 12", "Booked.")]
call("batch_update", lambda: client.batch_update([{"memory_id": i, "text": f"Room {n}"} for n, i in enumerate(pair, 1)]))
call("batch_update is seen", lambda: client.get(pair[0]), lambda a: a["memory"] == "Room 1")
call("batch_delete", lambda: client.batch_delete([{"memory_id": i} for i in pair]))
refused("get after batch_delete", lambda: client.get(pair[0]), "404|NotFound")
call("delete", lambda: client.delete(first))
refused("get after delete", lambda: client.get(first), "404|NotFound")
call("search after delete", lambda: client.search("Where do I live?", filters=ana, **listing),
     lambda a: not any("Bergen" in t for t in texts(a)))
call("history after delete", lambda: client.history(first), lambda a: a[-1]["event"] == "DELETE")
refused("delete_all of nobody", lambda: client.delete_all(), "user_id|400")
call("delete_all", lambda: client.delete_all(user_id="ana"))
call("get_all after delete_all", lambda: client.get_all(filters=ana, **listing), lambda a: results(a) == [])
call("delete_users", lambda: client.delete_users(user_id="ben"))
call("users after delete_users", client.users, lambda a: [e["name"] for e in a["results"]] == ["bot"])

if hasattr(client, "project"):
    refused("project.update", lambda: client.project.update(custom_instructions="Only food."), "custom_instructions")
    call("project.get", lambda: client.project.get(fields=["custom_instructions"]),
         lambda a: a["custom_instructions"] == "")
refused("create_memory_export", lambda: client.create_memory_export(schema="{}", filters=ana), "trilith")
refused("get_summary", lambda: client.get_summary(filters=ana), "trilith")
refused("get_webhooks", lambda: client.get_webhooks(project_id="p"), "trilith")
call("reset", client.reset)
call("users after reset", client.users, lambda a: a["results"] == [])
check.end()
