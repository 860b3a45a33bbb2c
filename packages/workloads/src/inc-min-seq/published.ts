/** Milliseconds without and with the series; null: the letter leaves the line out. */
export interface PublishedPair {
  readonly beforeMs: number;
  readonly afterMs: number | null;
}

/** One line of the program's output. */
export interface PublishedAging extends PublishedPair {
  readonly gen: number;
}

/** What the letter of the series says its benchmark took. */
export interface PublishedIncMinSeq {
  /** The letter. */
  readonly title: string;
  readonly author: string;
  readonly x86: {
    readonly machine: string;
    readonly agings: readonly PublishedAging[];
    readonly total: PublishedPair;
    readonly average: PublishedPair;
  };
  readonly arm64: {
    readonly machine: string;
    readonly author: string;
    /** Average of an aging, by `transparent_hugepage`. */
    readonly averages: readonly (PublishedPair & { readonly thp: "never" | "always" })[];
  };
}

/**
 * Figures as published, for printing beside nothing: the model of this version knows no time.
 * The benchmark is 512 MiB of anonymous memory, every page written once, in a memcg with
 * MemoryMax=1024M, then 101 writes of `+ ID 0 GEN`.
 */
export const PUBLISHED_INC_MIN_SEQ: PublishedIncMinSeq = {
  title: "[PATCH v3 0/7] mm/mglru: speed up inc_min_seq() and fix cold/hot inversions",
  author: "Barry Song (Xiaomi)",
  x86: {
    machine: "an x86 PC, not named further",
    agings: [
      { gen: 3, beforeMs: 7.433, afterMs: 7.558 },
      { gen: 4, beforeMs: 0.949, afterMs: 0.916 },
      { gen: 5, beforeMs: 2.535, afterMs: 2.277 },
      { gen: 6, beforeMs: 5.043, afterMs: 2.328 },
      { gen: 7, beforeMs: 5.041, afterMs: null },
      { gen: 8, beforeMs: 5.027, afterMs: null },
      // oxlint-disable-next-line oxc/approx-constant -- a measured time that looks like ln 10
      { gen: 100, beforeMs: 5.035, afterMs: 2.303 },
      { gen: 101, beforeMs: 5.011, afterMs: 2.297 },
      { gen: 102, beforeMs: 5.029, afterMs: 2.305 },
      { gen: 103, beforeMs: 5.056, afterMs: 2.312 },
    ],
    total: { beforeMs: 503.946, afterMs: 236.635 },
    average: { beforeMs: 4.99, afterMs: 2.343 },
  },
  arm64: {
    machine: "arm64, 24 cores, 4 KiB pages",
    author: "Xueyuan Chen",
    averages: [
      { thp: "never", beforeMs: 7.644, afterMs: 2.964 },
      { thp: "always", beforeMs: 0.0373, afterMs: 0.0292 },
    ],
  },
};
