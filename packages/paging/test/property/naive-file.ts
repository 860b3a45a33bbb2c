/** A cached folio of the naive model. */
interface Folio {
  readonly first: number;
  readonly order: number;
  mark: boolean;
  dirty: boolean;
  accesses: number;
}

/** A descriptor of the naive model. */
interface Descriptor {
  max: number;
  random: boolean;
  /** Page of the byte after the last read; −1 before it. */
  previous: number;
  /** Byte after the last read. */
  position: number;
  window: { start: number; size: number; async: number; order: number };
}

const PAGE = 4096;
const LARGEST_ORDER = 9;

/**
 * The page cache of one file and its readahead, written from the rules alone: a map from page to folio.
 * Memory never runs short, nothing is mapped, and batches hold nothing back.
 * Rules: FIO-01, FIO-10..FIO-20, ADD-14, PGC-05.
 */
export class NaiveFile {
  pages: number;
  readonly descriptors: Descriptor[];
  private readonly cache: Map<number, Folio> = new Map();

  constructor(pages: number, descriptors: number) {
    this.pages = pages;
    this.descriptors = Array.from({ length: descriptors }, () => ({
      max: 32,
      random: false,
      previous: -1,
      position: -1,
      window: { start: 0, size: 0, async: 0, order: 0 },
    }));
  }

  /** As cacheText of the real one, each folio with its accesses behind a colon. */
  text(): string {
    const folios = [...new Set(this.cache.values())].toSorted((a, b) => a.first - b.first);
    return folios
      .map(({ first, order, mark, dirty, accesses }) => {
        const flags = `${mark ? "P" : ""}${dirty ? "D" : ""}`;
        return `${first}${flags}${order > 0 ? `/${order}` : ""}:${accesses}`;
      })
      .join(" ");
  }

  read(fd: number, first: number, bytes: number): number {
    const descriptor = this.descriptors[fd]!;
    const stop = Math.min(first + bytes, this.pages * PAGE);
    const endPage = Math.ceil((first + bytes) / PAGE);
    let at = first;
    while (at < stop) {
      const page = Math.floor(at / PAGE);
      if (!this.cache.has(page)) this.miss(descriptor, page, endPage - page);
      const found = this.found(page, endPage);
      const last = found.at(-1)!;
      if (last.mark) this.touchMark(descriptor, last, endPage - last.first);
      for (const folio of found) {
        const same =
          Math.floor((descriptor.position - 1) / (PAGE << folio.order)) ===
          folio.first >> folio.order;
        if (folio !== found[0] || !same) folio.accesses = Math.min(4, folio.accesses + 1);
      }
      at = Math.min(stop, (last.first + 2 ** last.order) * PAGE);
      descriptor.position = at;
    }
    if (at > first) descriptor.previous = Math.floor(at / PAGE);
    return Math.max(0, at - first);
  }

  write(first: number, bytes: number): void {
    for (let at = first; at < first + bytes;) {
      const page = Math.floor(at / PAGE);
      const folio = this.cache.get(page) ?? this.addForWrite(page, first + bytes - at);
      folio.dirty = true;
      at = Math.min(first + bytes, (folio.first + 2 ** folio.order) * PAGE);
      this.pages = Math.max(this.pages, Math.ceil(at / PAGE));
    }
  }

  advise(fd: number, advice: string, first: number, count: number): void {
    const descriptor = this.descriptors[fd]!;
    if (advice === "random") descriptor.random = true;
    if (advice === "normal" || advice === "sequential") {
      descriptor.random = false;
      descriptor.max = advice === "normal" ? 32 : 64;
    }
    const end = count === 0 ? Infinity : first + count;
    if (advice === "willneed") this.single(first, Math.min(end, first + descriptor.max), -1);
    if (advice !== "dontneed") return;
    this.clean(first, end);
    for (const [page, folio] of this.cache) {
      if (folio.first >= first && folio.first + 2 ** folio.order <= end) this.cache.delete(page);
    }
  }

  clean(first = 0, end = Infinity): void {
    for (const folio of this.cache.values()) {
      if (folio.first + 2 ** folio.order <= first || folio.first >= end || !folio.dirty) continue;
      folio.dirty = false;
      folio.mark = false;
    }
  }

  truncate(pages: number): void {
    this.pages = pages;
    for (const [page, folio] of this.cache) {
      const cut = folio.first < pages && folio.first + 2 ** folio.order > pages;
      if (folio.first >= pages || (cut && !folio.dirty)) this.cache.delete(page);
    }
  }

  private found(page: number, endPage: number): Folio[] {
    const found: Folio[] = [];
    for (let at = page; at < endPage && found.length < 31;) {
      const folio = this.cache.get(at);
      if (folio === undefined) break;
      found.push(folio);
      if (folio.mark) break;
      at = folio.first + 2 ** folio.order;
    }
    return found;
  }

  private miss(descriptor: Descriptor, page: number, wanted: number): void {
    const { max } = descriptor;
    const gap = page - descriptor.previous;
    if (descriptor.random) {
      this.single(page, page + Math.min(wanted, max), -1);
    } else if (page === 0 || wanted > max || (descriptor.previous >= 0 && gap >= 0 && gap <= 1)) {
      let power = 1;
      while (power < wanted) power *= 2;
      const size = power <= max / 32 ? 4 * power : power <= max / 4 ? 2 * power : max;
      const async = size > wanted ? size - wanted : size / 2;
      descriptor.window = { start: page, size, async, order: 0 };
      this.fill(descriptor);
    } else {
      const lag = this.depth(page - 1);
      let run = 0;
      while (run < max && this.cache.has(page - 1 - lag - run)) run += 1;
      if (run <= wanted) this.single(page, page + wanted, -1);
      else {
        const history = run >= page ? run * 2 : run;
        descriptor.window = {
          start: page,
          size: Math.min(max, history + wanted),
          async: 1,
          order: 0,
        };
        this.fill(descriptor);
      }
    }
  }

  private touchMark(descriptor: Descriptor, folio: Folio, wanted: number): void {
    const { max, window } = descriptor;
    const next = (size: number): number =>
      size < max / 16 ? size * 4 : size <= max / 2 ? size * 2 : max;
    folio.mark = false;
    const mark = window.start + window.size - window.async;
    let { start, size } = window;
    if (folio.first === (mark >> folio.order) << folio.order) {
      start += size;
      size = Math.max(size, next(size));
    } else {
      const lag = this.depth(folio.first + 1);
      start = folio.first + 1;
      while (start <= folio.first + max && this.cache.has(start - lag)) start += 1;
      if (start > folio.first + max) return;
      size = next(start - folio.first + wanted);
    }
    const order = window.order + 2;
    const align = 2 ** Math.min(order, Math.log2(max));
    const end = Math.floor((start + size) / align) * align;
    if (end > start) size = end - start;
    descriptor.window = { start, size, async: size, order };
    this.fill(descriptor);
  }

  private fill({ window }: Descriptor): void {
    const { start, size, async } = window;
    const order = Math.min(LARGEST_ORDER, window.order, Math.floor(Math.log2(size)));
    window.order = order;
    const last = Math.min(start + size, this.pages);
    const mark = start + size >= this.pages ? -1 : start + size - async;
    let at = start;
    while (at < last) {
      let own = order;
      while (at % 2 ** own !== 0 || at + 2 ** own > last) own -= 1;
      if (!this.free(at, 2 ** own)) break;
      this.add(at, own, mark >= at && mark < at + 2 ** own);
      at += 2 ** own;
    }
    this.single(at, last, mark);
  }

  private single(first: number, end: number, mark: number): void {
    for (let page = first; page < Math.min(end, this.pages); page++) {
      if (!this.cache.has(page)) this.add(page, 0, page === mark);
    }
  }

  private addForWrite(page: number, bytes: number): Folio {
    let order = LARGEST_ORDER;
    while (order > 0) {
      const fits = 2 ** order * PAGE <= bytes && page % 2 ** order === 0;
      if (fits && this.free(page, 2 ** order)) break;
      order -= 1;
    }
    return this.add(page, order, false);
  }

  private add(first: number, order: number, mark: boolean): Folio {
    const folio: Folio = { first, order, mark, dirty: false, accesses: 0 };
    for (let page = first; page < first + 2 ** order; page++) this.cache.set(page, folio);
    return folio;
  }

  private free(first: number, pages: number): boolean {
    for (let page = first; page < first + pages; page++) if (this.cache.has(page)) return false;
    return true;
  }

  /** How far into its folio a page is. */
  private depth(page: number): number {
    return page - (this.cache.get(page)?.first ?? page);
  }
}
