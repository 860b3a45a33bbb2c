import type { Cpu } from "@lrugen/hardware";
import {
  type FolioTable,
  type Memcg,
  type Memory,
  PG_LOCKED,
  PG_PRIVATE,
  type Task,
} from "@lrugen/mm-core";
import type { Charge } from "../charge/charge.ts";
import { CHARGE_FULL } from "../charge/charge-kind.ts";

/** Bytes charged for one buffer_head, its owner pointer included (CHG-40). */
const BUFFER_HEAD_BYTES = 104;

/**
 * The buffers of a block-based file system: a folio of a file gets one a page when it is written first, and
 * keeps them until it leaves the cache or is split. They are charged to the folio's memcg, and never fail.
 * Source: CHG-40; fs/buffer.c:create_empty_buffers, try_to_free_buffers; fs/ext4/inode.c.
 */
export class BufferHeads {
  private readonly memory: Memory;
  private readonly folios: FolioTable;
  private readonly charge: Charge;

  constructor(memory: Memory, charge: Charge) {
    this.memory = memory;
    this.folios = memory.folios;
    this.charge = charge;
  }

  /** A folio of the page cache is about to become dirty; it stays in the cache meanwhile. */
  attach(task: Task, folio: number): void {
    const { flags } = this.folios;
    if ((flags[folio] as number) & PG_PRIVATE || this.memory.fileOf(folio)?.shmem !== false) return;
    const memcg = this.memcgOf(folio);
    const wasLocked = (flags[folio] as number) & PG_LOCKED;
    flags[folio]! |= PG_LOCKED | PG_PRIVATE;
    for (let i = this.folios.nrPagesOf(folio); i > 0; i--) {
      if (!this.charge.chargeObject(task, memcg, BUFFER_HEAD_BYTES, CHARGE_FULL)) {
        this.charge.forceObject(task.cpu, memcg, BUFFER_HEAD_BYTES);
      }
    }
    if (wasLocked === 0) flags[folio]! &= ~PG_LOCKED;
  }

  /** filemap_release_folio(): a clean folio has none any more. */
  release(cpu: Cpu, folio: number): void {
    const { flags } = this.folios;
    if (((flags[folio] as number) & PG_PRIVATE) === 0) return;
    flags[folio]! &= ~PG_PRIVATE;
    const memcg = this.memcgOf(folio);
    for (let i = this.folios.nrPagesOf(folio); i > 0; i--) {
      this.charge.unchargeObject(cpu, memcg, BUFFER_HEAD_BYTES);
    }
  }

  private memcgOf(folio: number): Memcg {
    return this.memory.memcgs[this.folios.memcg[folio] as number] as Memcg;
  }
}
