/**
 * A session of the OpenAI Agents SDK: items are kept exactly and in order, tool calls and their outputs too. What people
 * and the assistant say is remembered beside, and found in later sessions. Nothing of that SDK is imported.
 */

import type { Trilith } from "./client.js";
import { NotFound } from "./errors.js";

/** Items of one call. */
const most = 1000;

/** The transcript of one session, in the scope of a client: new TrilithSession<AgentInputItem>("trip", memory). */
export class TrilithSession<Item = any> {
  constructor(
    private readonly sessionId: string,
    private readonly client: Trilith,
  ) {}

  async getSessionId(): Promise<string> {
    return this.sessionId;
  }

  /** The latest items, the oldest of them first; all if no limit is given. */
  async getItems(limit?: number): Promise<Item[]> {
    if (limit !== undefined && limit <= 0) return [];
    const items: Item[] = [];
    const latest = limit !== undefined && limit <= most;
    for await (const { item } of this.client.sessionItems(this.sessionId, { latest, limit: latest ? limit : most })) {
      items.push(item as Item);
      if (latest && items.length === limit) break;
    }
    return limit === undefined ? items : items.slice(-limit);
  }

  /** Adds items after those that are there. */
  async addItems(items: Item[]): Promise<void> {
    for (let start = 0; start < items.length; start += most)
      await this.client.appendItems(this.sessionId, items.slice(start, start + most));
  }

  /** Removes the last item and returns it. */
  async popItem(): Promise<Item | undefined> {
    try {
      return (await this.client.popItem(this.sessionId)).item as Item;
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  /** Removes all items. */
  async clearSession(): Promise<void> {
    try {
      await this.client.clearItems(this.sessionId);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
    }
  }
}
