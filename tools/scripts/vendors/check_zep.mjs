// Runs the calls of Zep's JavaScript client (version 3) that programs live on against trilith.
// usage: node check_zep.mjs URL   (beside the package @getzep/zep-cloud)

import { ZepClient } from "@getzep/zep-cloud"
import { Checks } from "./checks.mjs"

const check = new Checks("@getzep/zep-cloud", "npm")
const zep = new ZepClient({ apiKey: "any", baseUrl: process.argv[2] + "/api/v2" })

await check.call("user.add", () => zep.user.add({ userId: "ana", firstName: "Ana", metadata: { tier: 1 } }), (a) => a.userId === "ana")
await check.refused("user.add again", () => zep.user.add({ userId: "ana" }), /400|BadRequest/)
await check.call("user.get", () => zep.user.get("ana"), (a) => a.firstName === "Ana")
await check.refused("user.get of nobody", () => zep.user.get("nobody"), /404|NotFound/)
await check.call("user.update", () => zep.user.update("ana", { lastName: "Berg" }), (a) => a.lastName === "Berg")
await check.call("user.listOrdered", () => zep.user.listOrdered({ pageSize: 5 }), (a) => a.users.length === 1)
await check.call("thread.create", () => zep.thread.create({ threadId: "t1", userId: "ana" }), (a) => a.threadId === "t1")
const added = await check.call("thread.addMessages", () => zep.thread.addMessages("t1", {
	messages: [{ role: "user", name: "Ana", content: "I moved to Oslo.", createdAt: "2025-01-01T10:00:00Z" },
		{ role: "assistant", content: "How nice." }], returnContext: true }), (a) => a.messageUuids.length === 2 && a.context.includes("Oslo"))
await check.call("thread.addMessagesBatch", () => zep.thread.addMessagesBatch("t1", { messages: [{ role: "user", content: "I like tea." }] }))
await check.call("thread.get", () => zep.thread.get("t1"),
	(a) => a.messages.map((m) => m.content).join("|") === "I moved to Oslo.|How nice.|I like tea.")
await check.call("thread.get, last", () => zep.thread.get("t1", { lastn: 1 }), (a) => a.messages.length === 1 && a.totalCount === 3)
await check.call("thread.getUserContext", () => zep.thread.getUserContext("t1"), (a) => a.context.includes("Oslo"))
await check.call("thread.listAll", () => zep.thread.listAll({ pageSize: 2 }), (a) => a.totalCount === 1)
await check.call("user.getThreads", () => zep.user.getThreads("ana"), (a) => a[0].threadId === "t1")
await check.call("user.getNode", () => zep.user.getNode("ana"), (a) => a.node.name === "Ana Berg")
await check.call("task.get", () => zep.task.get(added.taskId), (a) => a.status === "succeeded")
const found = await check.call("graph.search edges", () => zep.graph.search({ userId: "ana", query: "Where does Ana live?", scope: "edges" }),
	(a) => a.edges[0].fact.includes("Oslo"))
await check.call("graph.search nodes", () => zep.graph.search({ userId: "ana", query: "Oslo?", scope: "nodes" }), (a) => a.nodes[0].name === "Oslo")
await check.call("graph.search episodes", () => zep.graph.search({ userId: "ana", query: "tea", scope: "episodes" }), (a) => a.episodes.length > 0)
const text = await check.call("graph.add", () => zep.graph.add({ userId: "ana", type: "text", data: "Ana is allergic to nuts." }), (a) => a.uuid)
await check.call("graph.addBatch", () => zep.graph.addBatch({ userId: "ana", episodes: [{ type: "json", data: "{\"plan\": 1}" }] }), (a) => a.length === 1)
await check.call("graph.addFactTriple", () => zep.graph.addFactTriple({ userId: "ana", fact: "Ana owns Vega.", factName: "OWNS",
	sourceNodeName: "Ana", targetNodeName: "Vega" }), (a) => a.edge.name === "OWNS")
await check.call("graph.create", () => zep.graph.create({ graphId: "g1", name: "Harbour" }), (a) => a.graphId === "g1")
await check.call("graph.get", () => zep.graph.get("g1"), (a) => a.name === "Harbour")
await check.call("graph.listAll", () => zep.graph.listAll(), (a) => a.graphs.length === 1)
await check.call("graph.edge.getByUserId", () => zep.graph.edge.getByUserId("ana", { limit: 10 }), (a) => a.length > 1)
await check.call("graph.edge.get", () => zep.graph.edge.get(found.edges[0].uuid), (a) => a.fact === found.edges[0].fact)
await check.call("graph.node.getByUserId", () => zep.graph.node.getByUserId("ana", {}), (a) => a.some((n) => n.name === "Oslo"))
await check.call("graph.node.get", () => zep.graph.node.get(found.edges[0].targetNodeUuid), (a) => a.name === "Oslo")
await check.call("graph.node.getEdges", () => zep.graph.node.getEdges(found.edges[0].targetNodeUuid), (a) => a.length === 1)
await check.call("graph.episode.getByUserId", () => zep.graph.episode.getByUserId("ana", { lastn: 2 }), (a) => a.episodes.length === 2)
await check.call("graph.episode.get", () => zep.graph.episode.get(text.uuid), (a) => a.content === text.content)
await check.call("graph.edge.delete", () => zep.graph.edge.delete(found.edges[0].uuid))
await check.refused("graph.edge.get after delete", () => zep.graph.edge.get(found.edges[0].uuid), /404|NotFound/)
await check.call("graph.episode.delete", () => zep.graph.episode.delete(text.uuid))
await check.refused("graph.clone", () => zep.graph.clone({ sourceGraphId: "g1" }), /trilith/)
await check.call("thread.delete", () => zep.thread.delete("t1"))
await check.call("graph.delete", () => zep.graph.delete("g1"))
await check.call("user.delete", () => zep.user.delete("ana"))
await check.refused("user.get after delete", () => zep.user.get("ana"), /404|NotFound/)
check.end()
