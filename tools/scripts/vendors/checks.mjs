// What the programs have in common that run a vendor's own JavaScript client against trilith: see checks.py.
import { readFileSync } from "node:fs"

export class Checks {
	constructor(name, registry) {
		const file = new URL(`./node_modules/${name}/package.json`, import.meta.url)
		this.client = `${name} ${JSON.parse(readFileSync(file)).version} (${registry})`
		this.passed = this.run = this.refusals = this.refuse = 0
	}

	async call(name, run, holds = () => true) {
		this.run++
		return this.tried(name, run, holds, () => this.passed++)
	}

	async tried(name, run, holds, passed) {
		try {
			const answer = await run()
			if (!holds(answer)) throw new Error(`answered ${JSON.stringify(answer)?.slice(0, 400)}`)
			passed()
			return answer
		} catch (e) {
			console.log(`FAIL ${this.client} ${name}: ${String(e?.stack ?? e).slice(0, 500)}`)
		}
	}

	async refused(name, run, why) {
		const refused = async () => {
			let answer
			try {
				answer = await run()
			} catch (e) {
				if (why.test(`${e} ${JSON.stringify(e)} ${e?.statusCode ?? ""}`)) return true
				throw e
			}
			throw new Error(`was not refused, but answered ${JSON.stringify(answer)?.slice(0, 200)}`)
		}
		this.refuse++
		await this.tried(name, refused, () => true, () => this.refusals++)
	}

	end() {
		console.log(`${this.client}: ${this.passed} of ${this.run} calls pass, ${this.refusals} of ${this.refuse} refusals`)
		process.exit(this.passed === this.run && this.refusals === this.refuse ? 0 : 1)
	}
}
