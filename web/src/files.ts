/* files.ts: the files of the sandbox, live; dragged in and out, opened in the editor. */
import { byId, bytesText, dialog, doing, h, toast } from "./dom.ts";
import { isShown } from "./panel.ts";
import type { Session } from "./session.ts";

const HOME = "/workspace";
const DRAG_OUT_MAX = 1 << 20;
const UPLOAD_MAX = 200 << 20;
const NAMES_MAX = 500;
const opened = new Set<string>([HOME]);

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly kind: string;
  readonly size: number;
  readonly inner: Entry[];
  readonly more: number;
}

export interface FilesOf {
  readonly session: Session;
  edit(path: string, text: string): void;
}

async function read(session: Session, path: string): Promise<{ inner: Entry[]; more: number }> {
  const { files } = session.sandbox;
  const names = await files.list(path);
  const shown = names.slice(0, NAMES_MAX);
  const inner = await Promise.all(
    shown.map(async (name): Promise<Entry | undefined> => {
      const full = path === "/" ? `/${name}` : `${path}/${name}`;
      try {
        const { kind, size } = await files.stat(full, false);
        const below =
          kind === "directory" && opened.has(full) ? await read(session, full) : undefined;
        return { path: full, name, kind, size, inner: below?.inner ?? [], more: below?.more ?? 0 };
      } catch {
        return undefined; /* gone meanwhile */
      }
    }),
  );
  const there = inner.filter((one): one is Entry => one !== undefined);
  there.sort((a, b) => Number(b.kind === "directory") - Number(a.kind === "directory"));
  return { inner: there, more: names.length - shown.length };
}

function save(name: string, bytes: Uint8Array): void {
  const url = URL.createObjectURL(new Blob([bytes as BlobPart]));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

async function open(place: FilesOf, path: string): Promise<void> {
  const bytes = await place.session.sandbox.files.read(path, { maxBytes: 4 << 20 });
  if (bytes.includes(0)) throw new Error(`${path} is no text: save it instead`);
  place.edit(path, new TextDecoder().decode(bytes));
}

/** Chromium writes what is dragged out to the disk: for that the bytes have to be there before. */
function dragging(place: FilesOf, entry: Entry): Partial<Record<string, unknown>> {
  if (entry.kind !== "file" || entry.size > DRAG_OUT_MAX) return {};
  let bytes: Uint8Array | undefined;
  return {
    draggable: true,
    onpointerdown: () =>
      void place.session.sandbox.files.read(entry.path).then(
        (read) => (bytes = read),
        () => {},
      ),
    ondragstart: (event: DragEvent) => {
      if (!bytes) return event.preventDefault();
      const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
      event.dataTransfer?.setData(
        "DownloadURL",
        `application/octet-stream:${entry.name}:data:application/octet-stream;base64,${text}`,
      );
    },
  };
}

function row(place: FilesOf, entry: Entry, depth: number): Node[] {
  const { session } = place;
  const isFolder = entry.kind === "directory",
    isOpen = opened.has(entry.path);
  const act = doing(() => {
    if (!isFolder) return open(place, entry.path);
    if (isOpen) opened.delete(entry.path);
    else opened.add(entry.path);
    return draw(place);
  });
  const mark = isFolder ? (isOpen ? "▾" : "▸") : entry.kind === "symlink" ? "↗" : "";
  const line = h(
    "li",
    { className: "file", style: `--depth:${depth}` },
    h(
      "button",
      {
        type: "button",
        className: "name",
        onclick: act,
        ...(isFolder ? { "aria-expanded": String(isOpen) } : {}),
        ...dragging(place, entry),
      },
      h("i", { "aria-hidden": "true" }, mark),
      isFolder ? `${entry.name}/` : entry.name,
    ),
    entry.kind === "file" && h("span", { className: "quiet" }, bytesText(entry.size)),
    entry.kind === "file" &&
      h(
        "button",
        {
          type: "button",
          className: "small",
          "aria-label": `Save ${entry.name} to this computer`,
          title: "Save to this computer",
          onclick: doing(async () =>
            save(entry.name, await session.sandbox.files.read(entry.path)),
          ),
        },
        "Save",
      ),
    h(
      "button",
      {
        type: "button",
        className: "small",
        "aria-label": `Remove ${entry.name}`,
        title: "Remove",
        onclick: doing(async () => {
          await session.sandbox.files.remove(entry.path);
          await draw(place);
        }),
      },
      "×",
    ),
  );
  const below = entry.inner.flatMap((one) => row(place, one, depth + 1));
  if (entry.more) below.push(h("li", { className: "quiet" }, `… and ${entry.more} more`));
  return [line, ...below];
}

let drawing = false,
  again = false;

async function draw(place: FilesOf): Promise<void> {
  if (drawing) {
    again = true;
    return;
  }
  drawing = true;
  try {
    const { inner, more } = await read(place.session, HOME);
    const list = inner.flatMap((one) => row(place, one, 0));
    if (more) list.push(h("li", { className: "quiet" }, `… and ${more} more`));
    byId("files").replaceChildren(
      h(
        "div",
        { className: "row" },
        h("strong", { className: "grow" }, "~ ", h("span", { className: "quiet" }, HOME)),
        h("button", { type: "button", onclick: doing(() => create(place)) }, "New"),
        h("button", { type: "button", onclick: () => picker(place).click() }, "Add…"),
      ),
      list.length
        ? h("ul", { className: "list" }, ...list)
        : h(
            "p",
            { className: "empty" },
            "Nothing is here yet. Drop files onto the page, or write some in the terminal.",
          ),
    );
  } catch {
    /* a run computes: what is shown stays until it waits or ends */
  } finally {
    drawing = false;
    if (again) {
      again = false;
      void draw(place);
    }
  }
}

async function create(place: FilesOf): Promise<void> {
  const name = h("input", { value: "notes.txt", spellcheck: false });
  if (
    !(await dialog(
      "New file",
      [h("label", { className: "field" }, h("span", {}, "Path, below ~"), name)],
      "Create",
    ))
  )
    return;
  const path = name.value.startsWith("/") ? name.value : `${HOME}/${name.value}`;
  if (await place.session.sandbox.files.exists(path)) throw new Error(`${path} is there already`);
  await place.session.sandbox.files.write(path, "");
  await open(place, path);
  await draw(place);
}

function picker(place: FilesOf): HTMLInputElement {
  const input = h("input", { type: "file", multiple: true });
  input.onchange = doing(() =>
    bring(
      place,
      [...(input.files ?? [])].map((file) => ({ path: file.name, file })),
    ),
  );
  return input;
}

async function bring(
  place: FilesOf,
  given: readonly { path: string; file: File }[],
): Promise<void> {
  if (given.reduce((sum, one) => sum + one.file.size, 0) > UPLOAD_MAX)
    throw new Error("that is more than 200 MB");
  for (const { path, file } of given)
    await place.session.sandbox.files.write(
      `${HOME}/${path}`,
      new Uint8Array(await file.arrayBuffer()),
    );
  toast(given.length === 1 ? `${given[0].path} is in ~` : `${given.length} files are in ~`);
  place.session.dispatchEvent(new Event("changed"));
}

/** Files of what was dropped, those in folders too. */
async function filesOf(
  entry: FileSystemEntry,
  before: string,
): Promise<{ path: string; file: File }[]> {
  const path = before + entry.name;
  if (entry.isFile)
    return [
      {
        path,
        file: await new Promise<File>((give, fail) =>
          (entry as FileSystemFileEntry).file(give, fail),
        ),
      },
    ];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const all: { path: string; file: File }[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((give, fail) =>
      reader.readEntries(give, fail),
    );
    if (some.length === 0) return all;
    for (const one of some) all.push(...(await filesOf(one, `${path}/`)));
  }
}

function dropping(place: FilesOf): void {
  const holds = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!holds(event) || !event.dataTransfer) return;
    event.preventDefault();
    const items = [...event.dataTransfer.items];
    const entries = items.map((item) => item.webkitGetAsEntry?.() ?? undefined);
    const plain = [...event.dataTransfer.files];
    doing(async () => {
      const found = entries.every((one) => one !== undefined)
        ? (await Promise.all(entries.map((one) => filesOf(one as FileSystemEntry, "")))).flat()
        : plain.map((file) => ({ path: file.name, file }));
      await bring(place, found);
    })();
  });
}

export function startFiles(place: FilesOf): void {
  dropping(place);
  const look = (): void => {
    if (isShown("files") && place.session.state !== "running" && place.session.state !== "starting")
      void draw(place);
  };
  for (const event of ["changed", "state"]) place.session.addEventListener(event, look);
  document.addEventListener("panel", look);
}
