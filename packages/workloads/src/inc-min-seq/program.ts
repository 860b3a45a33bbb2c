import { VM_READ, VM_WRITE } from "@lrugen/mm-core";
import { Guest, type Worker } from "@lrugen/sim";
import { chooseThp } from "../thp.ts";
import { AgingCounters, agingRecord, type IncMinSeqAging } from "./aging-record.ts";
import { OrderWatch } from "./list-order.ts";
import { fullOptions, type FullIncMinSeqOptions, type IncMinSeqOptions } from "./options.ts";

const PAGE_BYTES = 4096;
/** Memory comes in blocks of this many pages; two more than the program needs are left to the rest. */
const BLOCK_PAGES = 1024;
/** Memory beside the region, so that nothing is reclaimed: a share for struct pages and watermarks, */
const STRUCT_PAGES = 1.03;
/** and what the guest's boot takes. */
const SPARE_BLOCKS = 40;

/**
 * The benchmark program of series inc-min-seq on a fresh guest: it maps one region, writes every
 * page, and then ages its memcg by writing to debugfs.
 *
 * Source: the program in the letter of the series (see PUBLISHED_INC_MIN_SEQ), S1-13.
 */
export class IncMinSeqProgram {
  /** The machine, for a closer look. */
  readonly guest: Guest;
  readonly options: FullIncMinSeqOptions;
  private readonly order: OrderWatch;

  /** Boots, maps and touches; what is left to do is aging. @throws RangeError for a bad option */
  constructor(options: IncMinSeqOptions) {
    this.options = fullOptions(options);
    const { features, pages, thp, drain } = this.options;
    const blocks = Math.ceil((pages * STRUCT_PAGES) / BLOCK_PAGES) + SPARE_BLOCKS;
    this.guest = new Guest(features, { smp: 1, memBytes: blocks * BLOCK_PAGES * PAGE_BYTES });
    const { memory, mglru } = this.guest.system;
    chooseThp(this.guest.system, thp);
    const worker = this.guest.workers[0]!;
    mglru.useMm(worker.mm);
    this.touchAll(worker);
    if (drain) memory.batches.drain(worker.task.cpu);
    this.order = new OrderWatch(memory);
  }

  /**
   * Writes `+ 28 0 GEN` to lru_gen. No force_scan is given, which means a forced walk (S1-13).
   * @param gen max_seq at this moment
   * @throws Error when the kernel refuses the command
   */
  age(gen: number): IncMinSeqAging {
    const { guest, order } = this;
    const { lrugen } = guest.memcg.lruvecs[0]!;
    const command = `+ ${guest.memcg.id} 0 ${gen}\n`;
    order.before(lrugen);
    const before = new AgingCounters(guest);
    const written = guest.system.mglru.debugfs.write(guest.controller.cpu, command);
    if (written !== command.length) {
      throw new Error(`lru_gen: write of ${JSON.stringify(command)} gave ${written}`);
    }
    const delta = before.deltaTo(new AgingCounters(guest));
    return agingRecord(guest, gen, delta, order.after(lrugen));
  }

  /** mmap() and memset() of the program. */
  private touchAll({ task, mm }: Worker): void {
    const { paging } = this.guest.system;
    const { start, pages } = this.guest.newRegion("A", this.options.pages);
    const error = paging.mmapAnon(mm, start, pages, VM_READ | VM_WRITE);
    if (error !== 0) throw new Error(`mmap of ${pages} pages gave ${error}`);
    for (let page = 0; page < pages; page++) {
      const fault = paging.access(task, start + page, true);
      if (fault !== 0) throw new Error(`the write to page ${page} failed with fault code ${fault}`);
    }
  }
}
