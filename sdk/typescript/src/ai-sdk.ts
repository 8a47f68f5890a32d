/**
 * A memory for models of the AI SDK (version 6): wrapLanguageModel({ model, middleware: remembers(memory) }), or tools that a
 * model calls itself: generateText({ tools: await memoryTools(memory) }). Nothing of that SDK is imported.
 */

import type { Trilith } from "./client.js";

export interface Remembering {
  /** The session that exchanges are stored in. */
  session?: string;
  /** Tokens that the model is shown of memory at most; 1500 if absent. */
  budget?: number;
  /** Hears why memory failed. The model answers all the same. */
  onError?: (error: unknown) => void;
}

interface Part {
  type: string;
  text?: string;
}

interface Message {
  role: string;
  content: string | Part[];
}

/**
 * Middleware that shows a model what is known about the last words of the user, and stores the exchange when the answer is
 * there. Streams pass piece by piece, and tool calls as they are: what is stored is the words of the user and those of the
 * answer that calls no tool.
 */
export function remembers(memory: Trilith, options: Remembering = {}) {
  const scope = options.session === undefined ? {} : { session: options.session };

  /** What a failing memory does not say. */
  async function careful<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      options.onError?.(error);
      return undefined;
    }
  }

  const keep = (prompt: Message[], answer: string, called: boolean) =>
    careful(async () => {
      const content = asked(prompt);
      if (called || !content || !answer) return;
      await memory.remember([{ role: "user", content }, { role: "assistant", content: answer }], scope);
    });

  return {
    specificationVersion: "v3" as const,

    async transformParams({ params }: { params: any }): Promise<any> {
      const query = asked(params.prompt);
      const block = query && (await careful(() => memory.context(query, { budget: options.budget ?? 1500 })));
      return block && block.text ? { ...params, prompt: shown(params.prompt, block.text) } : params;
    },

    async wrapGenerate({ doGenerate, params }: { doGenerate: () => PromiseLike<any>; params: any }): Promise<any> {
      const result = await doGenerate();
      const parts: Part[] = result.content;
      const words = parts.filter((part) => part.type === "text").map((part) => part.text ?? "");
      await keep(params.prompt, words.join(""), parts.some((part) => part.type === "tool-call"));
      return result;
    },

    async wrapStream({ doStream, params }: { doStream: () => PromiseLike<any>; params: any }): Promise<any> {
      const { stream, ...rest } = await doStream();
      let words = "";
      let called = false;
      let failed = false;
      const listening = new TransformStream<any, any>({
        transform(part, controller) {
          if (part.type === "text-delta") words += part.delta;
          called ||= part.type === "tool-call";
          failed ||= part.type === "error";
          controller.enqueue(part);
        },
        flush: () => (failed ? undefined : keep(params.prompt, words, called)),
      });
      return { stream: stream.pipeThrough(listening), ...rest };
    },
  };
}

/** The mark of a schema of the AI SDK, which its jsonSchema() sets too. */
const schemaMark = Symbol.for("vercel.ai.schema");

/**
 * The memory's tools, bound to the scope of a client. Sets add tools to the default ones: graph, review, sessions, subagent. A
 * mistake of the model is an answer that says what is wrong.
 */
export async function memoryTools(memory: Trilith, sets: string[] = []): Promise<Record<string, any>> {
  const tools: Record<string, any> = {};
  for (const { name, description, inputSchema } of await memory.tools("mcp", sets)) {
    tools[name as string] = {
      description,
      inputSchema: { [schemaMark]: true, jsonSchema: inputSchema, validate: undefined },
      execute: (args: Record<string, unknown>) => memory.callTool(name as string, args, sets),
    };
  }
  return tools;
}

/** The last words of the user. */
function asked(prompt: Message[]): string {
  const last = prompt.filter((message) => message.role === "user").at(-1);
  if (!last) return "";
  if (typeof last.content === "string") return last.content;
  return last.content.filter((part) => part.type === "text").map((part) => part.text).join("\n").trim();
}

/** The prompt with a block behind its instructions. */
function shown(prompt: Message[], block: string): Message[] {
  const at = prompt.findIndex((message) => message.role === "system");
  if (at < 0) return [{ role: "system", content: block }, ...prompt];
  return prompt.map((message, i) => (i === at ? { ...message, content: `${message.content}\n\n${block}` } : message));
}
