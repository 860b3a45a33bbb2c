import type { FolioLists } from "../folio/folio-lists.ts";
import { type Lruvec, LRUVEC_HEADS } from "../lru/lruvec.ts";
import type { Memcg } from "../memcg/memcg.ts";

/** List heads of a removed memcg on which folios are still linked. */
interface Abandoned {
  readonly first: number;
  readonly lruvecs: readonly Lruvec[];
}

/**
 * The list heads of lruvecs, one block a memcg. The block of a removed memcg goes to whoever gets its
 * index next, unless folios are still linked to it: that happens to those that aging had left outside of
 * its window of generations (REPAR-03, AGE-11). It is used again when they are gone.
 */
export class LruvecHeads {
  private readonly lists: FolioLists;
  /** Heads of one memcg: those of its lruvecs on all nodes. */
  private readonly size: number;
  /** First head by memcg index. */
  private readonly blocks: (number | undefined)[] = [];
  private abandoned: Abandoned[] = [];

  constructor(lists: FolioLists, nrNodes: number) {
    this.lists = lists;
    this.size = LRUVEC_HEADS * nrNodes;
  }

  /**
   * The first of as many empty lists as a memcg needs.
   * @throws RangeError when there are no more list heads
   */
  take(index: number): number {
    const block = this.blocks[index] ?? this.takeAbandoned() ?? this.lists.allocHeads(this.size);
    this.blocks[index] = block;
    return block;
  }

  /** A memcg is removed. */
  giveBack({ index, lruvecs }: Memcg): void {
    const first = this.blocks[index] as number;
    if (this.isEmpty(first)) return;
    this.blocks[index] = undefined;
    this.abandoned.push({ first, lruvecs: [...lruvecs] });
  }

  /** Lruvecs of removed memcgs with folios linked. */
  abandonedLruvecs(): Lruvec[] {
    return this.abandoned.flatMap(({ first, lruvecs }) => (this.isEmpty(first) ? [] : lruvecs));
  }

  private takeAbandoned(): number | undefined {
    const found = this.abandoned.find(({ first }) => this.isEmpty(first));
    this.abandoned = this.abandoned.filter((each) => each !== found);
    return found?.first;
  }

  private isEmpty(first: number): boolean {
    for (let head = first; head < first + this.size; head++) {
      if (!this.lists.isEmpty(head)) return false;
    }
    return true;
  }
}
