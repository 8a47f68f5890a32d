/** The client of trilith, a long-term memory for AI agents. */
export { Pages, version } from "./base.js";
export type { Options, ToolFormat } from "./base.js";
export { Trilith } from "./client.js";
export type { Answer } from "./client.js";
export * from "./errors.js";
export { F } from "./filter.js";
export type { Filter, Operator } from "./filter.js";
export type * from "./types.js";
