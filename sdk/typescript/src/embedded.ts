// A server for this program alone. Needs Node, Deno or Bun.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

import { narrowed, version } from "./base.js";
import type { Options } from "./base.js";
import { Trilith } from "./client.js";
import { NotFound, Unavailable, Unsupported } from "./errors.js";

const stopTimeout = 10_000; // milliseconds for finishing what is being answered

export interface EmbeddedOptions extends Omit<Options, "url" | "key"> {
  /** A file, ":memory:", or any store of trilith such as postgres://…; if absent, that of TRILITH_STORE or the usual file. */
  store?: string;
  /** The program; if absent, that of the package trilith-server, else the trilith on PATH. */
  binary?: string;
  /** Further settings of trilith serve by their names without TRILITH_, for example { MODEL: "anthropic:NAME" }. */
  settings?: Record<string, string>;
  /** Gets each line that the server logs. */
  log?: (line: string) => void;
}

/** A client of a server that ends with this program, however it ends, or with close(). */
export class EmbeddedTrilith extends Trilith {
  constructor(options: Options, private readonly child: ChildProcess, readonly pid: number) {
    super(options);
  }

  /** Ends the server. Clients made by scope() end with this one. */
  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((done) => this.child.once("exit", done));
    const late = setTimeout(() => this.child.kill("SIGKILL"), stopTimeout);
    this.child.ref();
    this.child.stdin!.end();
    await ended;
    clearTimeout(late);
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")](): Promise<void> {
    return this.close();
  }
}

/** Starts a server for this program alone and waits until it answers. Several programs may work on one file. */
export async function embedded(options: EmbeddedOptions = {}): Promise<EmbeddedTrilith> {
  const { store, binary = findBinary(), settings = {}, log, ...rest } = options;
  narrowed(undefined, narrowed(undefined, rest).scope); // before there is a server to end
  const env = { ...process.env };
  for (const [name, value] of Object.entries(settings)) env[`TRILITH_${name.toUpperCase().replaceAll("-", "_")}`] = value;
  if (store !== undefined) env["TRILITH_STORE"] = storeURL(store); // it may hold a password, and others see command lines
  const child = spawn(binary, ["serve", "--embedded"], { stdio: ["pipe", "pipe", "pipe"], env, windowsHide: true,
    detached: process.platform !== "win32" }); // a group of its own: Ctrl-C is for this program
  const said: string[] = [];
  createInterface(child.stderr).on("line", (line) => {
    said.push(line);
    if (said.length > 20) said.shift();
    log?.(line);
  });
  const ready = await new Promise<{ url: string; key: string; pid: number; version: string }>((done, fail) => {
    child.once("error", (cause) =>
      fail(new NotFound("not_found", `binary: ${binary} cannot be started: ${cause.message}`, { cause })));
    child.once("close", (code) =>
      fail(new Unavailable("unavailable", `the server did not start: ${said.join("\n") || `it ended with ${code}`}`)));
    createInterface(child.stdout).once("line", (line) => done(JSON.parse(line)));
  });
  // None of these keeps this program running.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref?(): void }).unref?.();
  child.stdin.on("error", () => {}); // it has ended already
  const client = new EmbeddedTrilith({ ...rest, url: ready.url, key: ready.key }, child, ready.pid);
  const theirs = /^v?(\d+)\./.exec(ready.version)?.[1];
  if (theirs !== undefined && theirs !== version.split(".")[0]) {
    await client.close();
    throw new Unsupported("unsupported", `binary: is version ${ready.version}, this client is ${version}`);
  }
  return client;
}

function storeURL(store: string): string {
  if (store === ":memory:") return "mem:";
  if (/^[a-z]{2,}:/.test(store)) return store; // one letter is a drive of Windows
  return `sqlite:${resolve(store.replace(/^~(?=[/\\]|$)/, homedir()))}`;
}

/** The program of the package trilith-server, else "trilith", which is looked for on PATH. */
function findBinary(): string {
  try {
    return createRequire(import.meta.url)("trilith-server").path();
  } catch {
    return "trilith";
  }
}
