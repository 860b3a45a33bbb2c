import type { FolioTable, PageTables } from "@lrugen/mm-core";
import { AnonMachine, STOCK } from "../anon-machine.ts";
import type { BenchCase } from "../bench-case.ts";

const MIB = 1024 * 1024;

/** Bytes of all typed arrays among the fields of an object. */
export function arrayBytes(state: object): number {
  let bytes = 0;
  for (const value of Object.values(state)) {
    if (ArrayBuffer.isView(value)) bytes += value.byteLength;
  }
  return bytes;
}

/** The link arrays hold list heads too, a few for each memcg: they are no folio's. */
function bytesPerFolio(folios: FolioTable): number {
  const heads = folios.next.length - folios.nrPages;
  const links = folios.next.BYTES_PER_ELEMENT + folios.prev.BYTES_PER_ELEMENT;
  return (arrayBytes(folios) - heads * links) / folios.nrPages;
}

function bytesPerPte(tables: PageTables): number {
  return arrayBytes(tables) / tables.entries.length;
}

export const MEMORY_CASES: readonly BenchCase[] = [
  {
    name: "memory/16GiB",
    what: "resident memory of the process, one machine of 4,194,304 folios, all mapped by faults",
    metrics: [
      { label: "resident", unit: "MiB" },
      { label: "of the folio arrays", unit: "bytes/folio" },
      { label: "of the page-table arrays", unit: "bytes/PTE" },
    ],
    pages: 4_194_304,
    // Nothing to warm up or to repeat: it is a state. One instance, since it is the size of one.
    warmups: 0,
    repetitions: 1,
    boot(pages) {
      const machine = AnonMachine.filled(STOCK, pages);
      const { folios, pageTables } = machine.system.memory;
      return () => [
        process.memoryUsage.rss() / MIB,
        bytesPerFolio(folios),
        bytesPerPte(pageTables),
      ];
    },
  },
];
