// Runs every call of mem0's JavaScript client against trilith.
// usage: node check_mem0.mjs URL   (beside the package mem0ai)

process.env.MEM0_TELEMETRY = "false" // before the import: nothing but loopback is asked
const { default: MemoryClient } = await import("mem0ai")
const { Checks } = await import("./checks.mjs")

const check = new Checks("mem0ai", "npm")
const texts = (answer) => (answer.results ?? answer).map((m) => m.memory)
const client = new MemoryClient({ apiKey: "any", host: process.argv[2] })
const ana = { user_id: "ana" }

await check.call("ping", () => client.ping(), () => true)
const added = await check.call("add", () => client.add(
	[{ role: "user", content: "I live in Oslo and I am allergic to peanuts." }, { role: "assistant", content: "Noted." }],
	{ userId: "ana" }), (a) => texts(a).length === 1 && texts(a)[0].includes("Oslo"))
const first = (added?.results ?? added)?.[0]?.id
await check.call("add with options", () => client.add([{ role: "user", content: "My sister Bea plays the cello." }],
	{ userId: "ana", runId: "r1", appId: "notes", metadata: { topic: "family" } }), (a) => texts(a).length === 1)
await check.call("add as it is", () => client.add(
	[{ role: "user", content: "Room 12" }, { role: "assistant", content: "Booked." }], { userId: "ana", infer: false }),
	(a) => texts(a).join() === "Room 12,Booked.")
await check.call("search", () => client.search("Where do I live?", { filters: ana }),
	(a) => texts(a)[0].includes("Oslo") && a.results[0].score > 0)
await check.call("search with conditions", () => client.search("sister",
	{ filters: { AND: [ana, { metadata: { topic: "family" } }] }, topK: 3 }), (a) => texts(a).length === 1)
await check.call("getAll", () => client.getAll({ filters: ana, page: 1, pageSize: 2 }),
	(a) => a.count === 4 && a.results.length === 2)
await check.call("get", () => client.get(first), (a) => a.userId === "ana" && a.memory.includes("Oslo"))
await check.refused("get of what is not there", () => client.get("11111111-1111-4111-8111-111111111111"), /not exist|404/i)
await check.call("update", () => client.update(first, { text: "I live in Bergen.", metadata: { checked: true } }))
await check.call("get under the old id", () => client.get(first), (a) => a.memory === "I live in Bergen.")
await check.call("history", () => client.history(first), (a) => a.map((e) => e.event).join() === "ADD,UPDATE")
await check.call("feedback", () => client.feedback({ memoryId: first, feedback: "POSITIVE" }))
await check.call("users", () => client.users(), (a) => a.results.length === 3)
const pair = (await client.getAll({ filters: ana })).results.filter((m) => ["Room 12", "Booked."].includes(m.memory))
await check.call("batchUpdate", () => client.batchUpdate(pair.map((m) => ({ memoryId: m.id, text: "Room 14" }))))
await check.call("batchDelete", () => client.batchDelete(pair.map((m) => m.id)))
await check.refused("get after batchDelete", () => client.get(pair[0].id), /not exist|404/i)
await check.call("delete", () => client.delete(first))
await check.refused("get after delete", () => client.get(first), /not exist|404/i)
await check.call("deleteAll", () => client.deleteAll({ userId: "ana" }))
await check.call("getAll after deleteAll", () => client.getAll({ filters: ana }), (a) => a.results.length === 0)
await check.call("add for somebody else", () => client.add([{ role: "user", content: "I live in Lima." }], { userId: "ben" }))
await check.call("deleteUsers", () => client.deleteUsers({ userId: "ben" }))
await check.refused("updateProject", () => client.updateProject({ customInstructions: "Only food." }), /custom_instructions/)
await check.call("getProject", () => client.getProject({ fields: ["custom_instructions"] }),
	(a) => (a.customInstructions ?? a.custom_instructions) === "")
await check.refused("createMemoryExport", () => client.createMemoryExport({ schema: {}, filters: ana }), /trilith/)
await check.refused("getWebhooks", () => client.getWebhooks({ projectId: "p" }), /trilith/)
check.end()
