"""Runs every call of Zep's Python client (version 3) that trilith has against it.

usage: check_zep.py URL   (URL is trilith's, with or without /compat/zep)
"""

import importlib.metadata
import sys

from zep_cloud import Message
from zep_cloud.client import Zep

from checks import Checks

check = Checks(f"zep-cloud {importlib.metadata.version('zep-cloud')} (PyPI)")
call, refused = check.call, check.refused
zep = Zep(api_key="any", base_url=sys.argv[1] + "/api/v2")


def facts(answer):
    return [e.fact for e in answer]


call("user.add", lambda: zep.user.add(user_id="ana", first_name="Ana", email="ana@example.org", metadata={"tier": 1}),
     lambda a: a.user_id == "ana" and a.first_name == "Ana" and a.uuid_)
refused("user.add again", lambda: zep.user.add(user_id="ana"), "BadRequest|400")
call("user.add another", lambda: zep.user.add(user_id="ben"))
call("user.get", lambda: zep.user.get("ana"), lambda a: a.email == "ana@example.org" and a.metadata == {"tier": 1})
refused("user.get of nobody", lambda: zep.user.get("nobody"), "NotFound|404")
call("user.update", lambda: zep.user.update("ana", last_name="Berg"), lambda a: (a.first_name, a.last_name) == ("Ana", "Berg"))
call("user.list_ordered", lambda: zep.user.list_ordered(page_number=1, page_size=1),
     lambda a: a.total_count == 2 and [u.user_id for u in a.users] == ["ana"])
call("thread.create", lambda: zep.thread.create(thread_id="t1", user_id="ana"),
     lambda a: (a.thread_id, a.user_id) == ("t1", "ana"))
call("thread.create another", lambda: zep.thread.create(thread_id="t2", user_id="ben"))
added = call("thread.add_messages", lambda: zep.thread.add_messages("t1", messages=[
    Message(role="user", name="Ana", content="I moved to Oslo.", created_at="2025-01-01T10:00:00Z", metadata={"n": 1}),
    Message(role="assistant", name="Bot", content="How nice.", created_at="2025-01-01T10:00:01Z"),
    Message(role="user", name="Ana", content="I work at Nordlys as a carpenter.", created_at="2025-01-01T10:00:02Z"),
], return_context=True), lambda a: len(a.message_uuids) == 3 and "Oslo" in a.context)
call("thread.add_messages, roles ignored", lambda: zep.thread.add_messages(
    "t1", messages=[Message(role="assistant", content="I like tea.")], ignore_roles=["assistant"]),
    lambda a: len(a.message_uuids) == 1)
call("thread.add_messages_batch", lambda: zep.thread.add_messages_batch(
    "t2", messages=[Message(role="user", name="Ben", content="I live in Lima.")]))
refused("thread.add_messages to no thread", lambda: zep.thread.add_messages(
    "none", messages=[Message(role="user", content="x")]), "NotFound|404")
call("thread.get", lambda: zep.thread.get("t1"), lambda a: [m.content for m in a.messages] == [
    "I moved to Oslo.", "How nice.", "I work at Nordlys as a carpenter.", "I like tea."] and a.total_count == 4 and
    a.messages[0].name == "Ana" and a.messages[0].metadata == {"n": 1} and a.messages[1].role == "assistant")
call("thread.get, last", lambda: zep.thread.get("t1", lastn=1), lambda a: [m.content for m in a.messages] == ["I like tea."])
call("thread.get by pages", lambda: zep.thread.get("t1", limit=2, cursor=2),
     lambda a: [m.content for m in a.messages][0] == "I work at Nordlys as a carpenter." and a.row_count == 2)
call("thread.message.update", lambda: zep.thread.message.update(added.message_uuids[0], metadata={"seen": True}),
     lambda a: a.metadata == {"n": 1, "seen": True})
call("thread.get_user_context", lambda: zep.thread.get_user_context("t1"),
     lambda a: "Oslo" in a.context and "Lima" not in a.context)
call("thread.get_summary", lambda: zep.thread.get_summary("t1"))
call("thread.get_episodes", lambda: zep.thread.get_episodes("t1"), lambda a: len(a.episodes) == 4)
call("thread.list_all", lambda: zep.thread.list_all(page_size=1, page_number=2), lambda a: a.total_count == 2)
call("user.get_threads", lambda: zep.user.get_threads("ana"), lambda a: [t.thread_id for t in a] == ["t1"])
call("user.get_node", lambda: zep.user.get_node("ana"), lambda a: a.node.name == "Ana Berg" and "Oslo" in a.node.summary)
call("user.warm", lambda: zep.user.warm("ana"))
call("task.get", lambda: zep.task.get(added.task_id), lambda a: a.status == "succeeded")
refused("task.get of none", lambda: zep.task.get("11111111-1111-4111-8111-111111111111"), "NotFound|404")

edges = call("graph.search edges", lambda: zep.graph.search(user_id="ana", query="Where does Ana live?", scope="edges",
                                                           limit=5, reranker="rrf"),
             lambda a: "Oslo" in a.edges[0].fact and a.edges[0].valid_at.startswith("2025-01-01") and
             not any("Lima" in f for f in facts(a.edges)))
call("graph.search edges without likeness", lambda: zep.graph.search(user_id="ana", query="zyzzyva"),
     lambda a: len(a.edges) > 0)
call("graph.search edges of a type", lambda: zep.graph.search(
    user_id="ana", query="Ana", search_filters={"edge_types": [edges.edges[0].name]}),
    lambda a: {e.name for e in a.edges} == {edges.edges[0].name})
call("graph.search nodes", lambda: zep.graph.search(user_id="ana", query="Tell me about Oslo.", scope="nodes"),
     lambda a: a.nodes[0].name == "Oslo" and a.nodes[0].summary)
call("graph.search episodes", lambda: zep.graph.search(user_id="ana", query="carpenter", scope="episodes"),
     lambda a: "carpenter" in a.episodes[0].content)
call("graph.search auto", lambda: zep.graph.search(user_id="ana", query="Where does Ana live?", scope="auto"),
     lambda a: "Oslo" in a.context)
text = call("graph.add text", lambda: zep.graph.add(user_id="ana", type="text", data="Ana is allergic to nuts.",
                                                    created_at="2025-02-01T00:00:00Z", source_description="card"),
            lambda a: a.content == "Ana is allergic to nuts." and a.uuid_ and a.processed)
call("graph.add json", lambda: zep.graph.add(user_id="ana", type="json", data='{"plan": "gold"}'),
     lambda a: a.source == "json")
call("graph.add message", lambda: zep.graph.add(user_id="ana", type="message", data="Ana: I play chess."),
     lambda a: a.content == "I play chess." and a.role == "Ana")
call("graph.add_batch", lambda: zep.graph.add_batch(user_id="ana", episodes=[dict(data="Ana has a dog.", type="text")]),
     lambda a: len(a) == 1)
triple = call("graph.add_fact_triple", lambda: zep.graph.add_fact_triple(
    user_id="ana", fact="Ana owns the boat Vega.", fact_name="OWNS", source_node_name="Ana", target_node_name="Vega",
    valid_at="2025-03-01T00:00:00Z"), lambda a: a.edge.name == "OWNS" and a.target_node.name == "Vega")
call("graph.search of a triple", lambda: zep.graph.search(user_id="ana", query="boat"),
     lambda a: "Ana owns the boat Vega." in facts(a.edges))
call("graph.create", lambda: zep.graph.create(graph_id="g1", name="Harbour"), lambda a: a.graph_id == "g1")
call("graph.get", lambda: zep.graph.get("g1"), lambda a: a.name == "Harbour")
call("graph.update", lambda: zep.graph.update("g1", name="Port"), lambda a: a.name == "Port")
call("graph.list_all", lambda: zep.graph.list_all(), lambda a: [g.graph_id for g in a.graphs] == ["g1"])
call("graph.add to a graph", lambda: zep.graph.add(graph_id="g1", type="text", data="The crane lifts 40 tons."))
call("graph.search of a graph", lambda: zep.graph.search(graph_id="g1", query="crane", scope="episodes"),
     lambda a: [e.content for e in a.episodes] == ["The crane lifts 40 tons."])

all_edges = call("graph.edge.get_by_user_id", lambda: zep.graph.edge.get_by_user_id("ana"),
                 lambda a: len(a) >= 3) or []
call("graph.edge.get_by_user_id by pages", lambda: [
    zep.graph.edge.get_by_user_id("ana", limit=1), zep.graph.edge.get_by_user_id("ana", limit=100, uuid_cursor=all_edges[0].uuid_)],
    lambda a: len(a[0]) == 1 and len(a[1]) == len(all_edges) - 1)
call("graph.edge.get", lambda: zep.graph.edge.get(all_edges[0].uuid_), lambda a: a.fact == all_edges[0].fact)
nodes = call("graph.node.get_by_user_id", lambda: zep.graph.node.get_by_user_id("ana"),
             lambda a: "Oslo" in [n.name for n in a]) or []
oslo = next((n for n in nodes if n.name == "Oslo"), None)
call("graph.node.get", lambda: zep.graph.node.get(oslo.uuid_), lambda a: a.name == "Oslo")
call("graph.node.get_edges", lambda: zep.graph.node.get_edges(oslo.uuid_), lambda a: all("Oslo" in f for f in facts(a)) and a)
call("graph.node.get_episodes", lambda: zep.graph.node.get_episodes(oslo.uuid_),
     lambda a: "I moved to Oslo." in [e.content for e in a.episodes])
call("graph.episode.get_by_user_id", lambda: zep.graph.episode.get_by_user_id("ana", lastn=2), lambda a: len(a.episodes) == 2)
call("graph.episode.get_by_graph_id", lambda: zep.graph.episode.get_by_graph_id("g1"), lambda a: len(a.episodes) == 1)
call("graph.episode.get", lambda: zep.graph.episode.get(text.uuid_), lambda a: a.content == text.content)
call("graph.episode.get_nodes_and_edges", lambda: zep.graph.episode.get_nodes_and_edges(added.message_uuids[0]),
     lambda a: any("Oslo" in e.fact for e in a.edges) and a.nodes)
call("graph.edge.delete", lambda: zep.graph.edge.delete(triple.edge.uuid_))
refused("graph.edge.get after delete", lambda: zep.graph.edge.get(triple.edge.uuid_), "NotFound|404")
call("graph.episode.delete", lambda: zep.graph.episode.delete(text.uuid_))
refused("graph.episode.get after delete", lambda: zep.graph.episode.get(text.uuid_), "NotFound|404")
call("graph.node.delete", lambda: zep.graph.node.delete(oslo.uuid_))
call("graph.list_entity_types", lambda: zep.graph.list_entity_types())
call("graph.list_custom_instructions", lambda: zep.graph.list_custom_instructions())
refused("graph.clone", lambda: zep.graph.clone(source_graph_id="g1"), "trilith")
refused("context templates", lambda: zep.context.create_context_template(template_id="x", template="y"), "trilith")
call("thread.delete", lambda: zep.thread.delete("t1"))
refused("thread.get after delete", lambda: zep.thread.get("t1"), "NotFound|404")
call("graph.delete", lambda: zep.graph.delete("g1"))
call("user.delete", lambda: zep.user.delete("ana"))
refused("user.get after delete", lambda: zep.user.get("ana"), "NotFound|404")
call("graph.search after user.delete", lambda: zep.graph.search(user_id="ana", query="Where?"), lambda a: a.edges == [])
check.end()
