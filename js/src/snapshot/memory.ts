/*
 * snapshot/memory.ts: an instance as the pages in which it differs from its template:
 * host/snapshot/memory.c.
 */
import { LAYOUT } from "../abi.ts";
import type { Run, Template } from "../cpu/image.ts";
import { Instance } from "../cpu/instance.ts";
import type { Kernel } from "../machine/kernel.ts";
import type { Reader, Writer } from "./codec.ts";

const PAGE = 4096,
  END = 0xffffffff;

/** A template's page; undefined: it is zero. */
export function pageOf(template: Template, page: number): Uint8Array | undefined {
  let at = 0;
  for (const { from, to } of template.info.runs) {
    if (page >= from && page < to)
      return template.data.subarray(at + page - from, at + page - from + PAGE);
    at += to - from;
  }
  return undefined;
}

/** What of a kernel's memory means nothing between two calls: the last message and its input. */
export function deadOf(kernel: Kernel): Run[] {
  const message = { from: kernel.mailbox, to: kernel.mailbox + LAYOUT.message.SIZE };
  const input = { from: kernel.inArea, to: kernel.inArea + kernel.inCap };
  return message.from < input.from ? [message, input] : [input, message];
}

/**
 * What of a memory means anything: cpu_live_ranges() of host/cpu/instance.c. `dead`: a kernel's,
 * rising.
 */
export function liveRanges(instance: Instance, asyncifyStack: Run, dead: readonly Run[]): Run[] {
  const size = instance.u8.length;
  if (!instance.asyncify) {
    const live: Run[] = [];
    let at = instance.stackFrom();
    for (const { from, to } of dead) {
      live.push({ from: at, to: from });
      at = to;
    }
    return [...live, { from: at, to: size }];
  }
  const sp = instance.stackFrom(),
    { from, to } = asyncifyStack;
  const current = instance.view.getUint32(instance.asyncify, true);
  if (to === 0 || current < from || current > to) return [{ from: sp, to: size }];
  return [
    { from: sp, to: current },
    { from: to, to: size },
  ];
}

/** Makes of a page its difference from another one; false: there is none. */
function differs(words: Uint32Array, from: Uint8Array | undefined): boolean {
  let any = 0;
  if (from) {
    const aligned = from.byteOffset % 4 === 0 ? from : from.slice();
    const before = new Uint32Array(aligned.buffer, aligned.byteOffset, words.length);
    for (let i = 0; i < words.length; i++) any |= words[i] ^= before[i];
  } else {
    for (let i = 0; i < words.length; i++) any |= words[i];
  }
  return any !== 0;
}

/** Bytes without meaning count as zero, so that equal states give equal snapshots. */
export function putInstance(
  w: Writer,
  instance: Instance,
  base: Template,
  dead: readonly Run[],
): void {
  const live = liveRanges(instance, base.info.asyncifyStack, dead);
  const now = new Uint8Array(PAGE),
    words = new Uint32Array(now.buffer);
  w.u32(instance.u8.length);
  w.u32(instance.exports.__stack_pointer.value as number);
  w.u32(instance.rewinding ? 1 : 0);
  let next = 0;
  for (const range of live) {
    let page = Math.max(next, Math.floor(range.from / PAGE) * PAGE);
    for (; page < range.to; page += PAGE) {
      now.fill(0);
      for (const one of live) {
        const from = Math.max(one.from, page),
          to = Math.min(one.to, page + PAGE);
        if (from < to) now.set(instance.u8.subarray(from, to), from - page);
      }
      if (!differs(words, pageOf(base, page))) continue;
      w.u32(page);
      w.out.add(now);
    }
    next = page;
  }
  w.u32(END);
}

/**
 * Writes the pages into an instance that was just woken from `base`; `grow` lets its memory be
 * larger.
 */
export function getInstance(r: Reader, base: Template, wake: (size: number) => Instance): Instance {
  const size = r.u32(),
    sp = r.u32(),
    rewinding = r.u32();
  r.demand(size % 65536 === 0 && size >= base.info.size && rewinding <= 1 && sp <= size);
  const instance = wake(size);
  for (let next = 0; ; ) {
    const page = r.u32();
    if (page === END) break;
    r.demand(page >= next && page % PAGE === 0 && page <= size - PAGE);
    const data = r.raw(PAGE),
      to = instance.u8;
    for (let i = 0; i < PAGE; i++) to[page + i] ^= data[i];
    next = page + PAGE;
  }
  instance.exports.__stack_pointer.value = sp | 0;
  instance.rewinding = rewinding === 1;
  return instance;
}
