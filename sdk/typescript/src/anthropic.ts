/**
 * Anthropic's memory tool over trilith: betaMemoryTool(new TrilithMemoryTool(memory)), with betaMemoryTool of
 * @anthropic-ai/sdk/helpers/beta/memory. Nothing of that SDK is imported.
 *
 * A file is an entry under the key of its path: the memory's searches find it, old wordings stay in the history, and what
 * is deleted is forgotten and can come back. Secrets are masked; the answer says so. The tool in Python has the same files.
 */

import type { Trilith } from "./client.js";
import { Conflict, Invalid, NotFound } from "./errors.js";
import type { Memory } from "./types.js";

const root = "/memories";
const prefix = "file:"; // of keys
const exactMember = "file_text"; // of the metadata
const numberWidth = 6; // of a line number
const longestKey = 255; // bytes
const attempts = 20; // of an edit, where others edit the same file

/** Keeps files in the scope of a client. An error is a mistake of the model, which reads its message. */
export class TrilithMemoryTool {
  constructor(private readonly client: Trilith) {}

  /** A file with line numbers, or what is in a folder. */
  view = async (command: { path: string; view_range?: number[] | null }): Promise<string> => {
    const path = checked(command.path);
    const file = await this.find(path);
    if (file) return numbered(command.path, textOf(file), command.view_range);
    const sizes = new Map<string, number>();
    for (const [name, file] of await this.files(path)) {
      const below = name.slice(path.length + 1);
      if (below.split("/").some((part) => part.startsWith(".") || part === "node_modules")) continue;
      const size = bytes(textOf(file));
      const parts = below.split("/");
      for (const depth of [1, 2]) {
        if (parts.length <= depth) continue;
        const folder = parts.slice(0, depth).join("/") + "/";
        sizes.set(folder, (sizes.get(folder) ?? 0) + size);
      }
      if (parts.length <= 2) sizes.set(below, size);
    }
    if (sizes.size === 0 && path !== root) throw missing(command.path);
    const shown = [...sizes].sort(([a], [b]) => inOrder(a, b)).map(([name, size]) => `${sizeOf(size)}\t${command.path}/${name}`);
    const whole = [...sizes].filter(([name]) => !name.slice(0, -1).includes("/")).reduce((sum, [, size]) => sum + size, 0);
    const head = `Here're the files and directories up to 2 levels deep in ${command.path}, excluding hidden items and node_modules:`;
    return [head, `${sizeOf(whole)}\t${command.path}`, ...shown].join("\n");
  };

  /** Makes a file; one that is there is not overwritten. */
  create = async (command: { path: string; file_text: string }): Promise<string> => {
    const path = checked(command.path);
    await this.refuseFolder(path, command.path);
    try {
      const masked = await this.put(path, command.file_text, { if_absent: true });
      return `File created successfully at: ${command.path}${masked}`;
    } catch (error) {
      if (error instanceof Conflict) throw new Error(`File ${command.path} already exists`);
      throw error;
    }
  };

  /** Replaces a text that is in one line of the file. */
  str_replace = async (command: { path: string; old_str: string; new_str?: string }): Promise<string> => {
    let line = 0;
    const { text, masked } = await this.edit(command.path, (text) => {
      const lines = text.split("\n").flatMap((words, i) => (words.includes(command.old_str) ? [i + 1] : []));
      if (lines.length === 0) {
        throw new Error(`No replacement was performed, old_str \`${command.old_str}\` did not appear verbatim in ${command.path}.`);
      }
      if (lines.length > 1) {
        throw new Error(
          `No replacement was performed. Multiple occurrences of old_str \`${command.old_str}\` in lines: ${lines.join(", ")}. Please ensure it is unique`,
        );
      }
      line = lines[0]!;
      return text.replace(command.old_str, () => command.new_str ?? "");
    });
    const first = Math.max(1, line - 2);
    const near = text.split("\n").slice(first - 1, line + 2).map((words, i) => withNumber(first + i, words));
    return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${near.join("\n")}${masked}`;
  };

  /** Puts lines behind a line; 0 is before the first. */
  insert = async (command: { path: string; insert_line: number; insert_text: string }): Promise<string> => {
    const { masked } = await this.edit(command.path, (text) => {
      const lines = text.split("\n");
      if (command.insert_line < 0 || command.insert_line > lines.length) {
        throw new Error(
          `Invalid \`insert_line\` parameter: ${command.insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
        );
      }
      lines.splice(command.insert_line, 0, command.insert_text.replace(/\n$/, ""));
      return lines.join("\n");
    });
    return `The file ${command.path} has been edited.${masked}`;
  };

  /** Forgets a file, or a folder with all that is in it. */
  delete = async (command: { path: string }): Promise<string> => {
    const path = checked(command.path);
    if (path === root) throw new Error("Cannot delete the /memories directory itself");
    const files = await this.below(path);
    if (files.size === 0) throw new Error(`The path ${command.path} does not exist`);
    await this.forget(files);
    return `Successfully deleted ${command.path}`;
  };

  /** Moves a file or a folder; what is at the new place is not overwritten. */
  rename = async (command: { old_path: string; new_path: string }): Promise<string> => {
    const from = checked(command.old_path);
    const to = checked(command.new_path);
    if (from === root) throw new Error("Cannot rename the /memories directory itself");
    if (to === root || (await this.below(to)).size > 0) throw new Error(`The destination ${command.new_path} already exists`);
    await this.refuseFolder(to, command.new_path);
    const files = await this.below(from);
    if (files.size === 0) throw new Error(`The path ${command.old_path} does not exist`);
    if (to.startsWith(from + "/")) throw new Error(`The path ${command.new_path} is inside of ${command.old_path}`);
    for (const [name, file] of files) await this.put(to + name.slice(from.length), textOf(file));
    await this.forget(files);
    return `Successfully renamed ${command.old_path} to ${command.new_path}`;
  };

  private async find(path: string): Promise<Memory | undefined> {
    if (path === root) return undefined;
    try {
      return await this.client.entryByKey(prefix + path);
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  /** The files in a folder, however deep, by path. */
  private async files(folder: string): Promise<Map<string, Memory>> {
    const found = new Map<string, Memory>();
    for await (const file of this.client.keyedEntries({ prefix: `${prefix}${folder}/`, limit: 1000 })) {
      found.set(file.external_id!.slice(prefix.length), file);
    }
    return found;
  }

  /** A file, or the files in a folder. */
  private async below(path: string): Promise<Map<string, Memory>> {
    const file = await this.find(path);
    return file ? new Map([[path, file]]) : this.files(path);
  }

  /** Stores a file, and says what was masked of it. */
  private async put(path: string, text: string, unless: { if_absent?: boolean; version?: number } = {}): Promise<string> {
    try {
      const file = await this.client.putEntry(prefix + path, text, {
        title: path,
        imported: true,
        category: "file",
        ...(text === "" ? { structured: { path } } : {}),
        ...(isExact(text) ? {} : { metadata: { [exactMember]: text } }),
        ...unless,
      });
      if (file.state === "quarantined") {
        throw new Error("The file is stored, but it reads like an order and is hidden until a person releases it.");
      }
      return file.masked ? `\nSecrets masked before storing: ${file.masked}` : "";
    } catch (error) {
      if (error instanceof Invalid) throw new Error(error.message);
      throw error;
    }
  }

  private async edit(shown: string, edit: (text: string) => string): Promise<{ text: string; masked: string }> {
    const path = checked(shown);
    for (let attempt = 1; ; attempt++) {
      const file = await this.find(path);
      if (!file) {
        if (path === root || (await this.files(path)).size > 0) throw new Error(`The path ${shown} is not a file.`);
        throw missing(shown);
      }
      const text = edit(textOf(file));
      try {
        return { text, masked: await this.put(path, text, { version: file.version }) };
      } catch (error) {
        if (!(error instanceof Conflict) || attempt === attempts) throw error;
      }
    }
  }

  /** Refuses a file where a folder is, and below a file. */
  private async refuseFolder(path: string, shown: string): Promise<void> {
    if (path === root || (await this.files(path)).size > 0) throw new Error(`File ${shown} already exists`);
    for (let above = parent(path); above !== root; above = parent(above)) {
      if (await this.find(above)) throw new Error(`The path ${above} is a file.`);
    }
  }

  private async forget(files: Map<string, Memory>): Promise<void> {
    for (const path of files.keys()) {
      try {
        await this.client.forgetByKey(prefix + path);
      } catch (error) {
        if (!(error instanceof NotFound)) throw error; // somebody else was faster
      }
    }
  }
}

const missing = (shown: string) => new Error(`The path ${shown} does not exist. Please provide a valid path.`);

const parent = (path: string) => path.slice(0, path.lastIndexOf("/"));

const bytes = (text: string) => new TextEncoder().encode(text).length;

/** The path without its detours; one that leads out of the folder is refused. */
function checked(shown: string): string {
  if (shown !== root && !shown.startsWith(root + "/")) throw new Error(`Path must start with /memories, got: ${shown}`);
  const parts: string[] = [];
  for (const part of shown.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const path = "/" + parts.join("/");
  if (path !== root && !path.startsWith(root + "/")) throw new Error(`Path ${shown} would escape /memories directory`);
  if (bytes(prefix + path + "/") > longestKey) {
    throw new Error(`Path ${shown} is too long: a key has ${longestKey} bytes at most`);
  }
  return path;
}

/** Whether the memory keeps a text as it is: it writes CRLF as LF, and composes letters. */
const isExact = (text: string) => text.replaceAll("\r\n", "\n").normalize("NFC") === text;

function textOf(file: Memory): string {
  const exact = (file.metadata as Record<string, unknown> | undefined)?.[exactMember];
  return typeof exact === "string" ? exact : (file.entry?.content ?? "");
}

/** Folders by their names, what is in them behind each. */
function inOrder(a: string, b: string): number {
  const [left, right] = [a.split("/").filter(Boolean), b.split("/").filter(Boolean)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i]! < right[i]! ? -1 : 1;
  }
  return left.length - right.length;
}

const withNumber = (number: number, words: string) => `${String(number).padStart(numberWidth)}\t${words}`;

function numbered(path: string, text: string, span?: number[] | null): string {
  const lines = text.split("\n");
  const [from = 1, to = -1] = span?.length === 2 ? span : [];
  const first = Math.max(1, from);
  const shown = lines.slice(first - 1, to === -1 ? lines.length : to).map((words, i) => withNumber(first + i, words));
  return `Here's the content of ${path} with line numbers:\n${shown.join("\n")}`;
}

function sizeOf(count: number): string {
  let size = count;
  let unit = 0;
  for (; size >= 1024 && unit < 3; unit++) size /= 1024;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${"BKMG"[unit]}`;
}
