import type { Memory } from "@lrugen/mm-core";
import type { Filemap } from "../file/filemap.ts";
import type { FolioMaps } from "../mapping/folio-maps.ts";
import { FolioReferenced } from "../rmap/folio-referenced.ts";
import { TryToUnmap } from "../rmap/try-to-unmap.ts";
import { DeferredSplitShrinker } from "../split/deferred-split-shrinker.ts";
import { SplitFolio } from "../split/split-folio.ts";
import { SplitMappings } from "../split/split-mappings.ts";
import type { Swap } from "../swap/swap.ts";
import type { PmdSplit } from "../thp/split-pmd.ts";
import { Pageout } from "./pageout.ts";
import { ReclaimFolios } from "./reclaim-folios.ts";
import { RemoveMapping } from "./remove-mapping.ts";
import { ShrinkFolioList } from "./shrink-folio-list.ts";

/** What reclaim of single folios is built from. */
export interface FolioReclaimParts {
  readonly maps: FolioMaps;
  readonly filemap: Filemap;
  readonly pmdSplit: PmdSplit;
  readonly swap: Swap;
}

/** Everything that frees, unmaps and splits single folios, wired together. */
export class FolioReclaim {
  readonly shrinkList: ShrinkFolioList;
  readonly referenced: FolioReferenced;
  readonly unmap: TryToUnmap;
  readonly split: SplitFolio;
  readonly deferredSplit: DeferredSplitShrinker;
  /** reclaim_pages(), for MADV_PAGEOUT. */
  readonly pages: ReclaimFolios;

  constructor(memory: Memory, parts: FolioReclaimParts) {
    const { maps, filemap, pmdSplit } = parts;
    const swap = parts.swap.cache;
    this.referenced = new FolioReferenced(memory);
    this.unmap = new TryToUnmap(memory, { maps, filemap, pmdSplit, swap });
    const { referenced, unmap } = this;
    const mappings = new SplitMappings(memory, maps, pmdSplit);
    this.split = new SplitFolio(memory, { mappings, unmap, filemap, swap });
    this.deferredSplit = new DeferredSplitShrinker(memory, this.split);
    this.shrinkList = new ShrinkFolioList(memory, {
      referenced,
      unmap,
      pageout: new Pageout(memory, swap, parts.swap.shmem),
      removeMapping: new RemoveMapping(memory, filemap, swap),
      split: this.split,
      swap,
    });
    this.pages = new ReclaimFolios(memory, this.shrinkList);
  }
}
