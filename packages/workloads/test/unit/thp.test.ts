import { systemFeatures } from "@lrugen/sim";
import { expect, it } from "vitest";
import { IncMinSeqProgram, THP_CHOICES } from "../../src/index.ts";

const features = systemFeatures();
const PAGES = 2048;

it.each(THP_CHOICES)("THP %s decides the size of every folio (FLT-10)", (thp) => {
  const { guest } = new IncMinSeqProgram({ features, pages: PAGES, thp });
  const { folios } = guest.system.memory;
  const { memcg } = guest;
  const kib = thp === "never" ? 4 : thp === "always" ? 2048 : Number(thp.replace("kB", ""));
  const heads = Array.from({ length: folios.nrPages }, (_, pfn) => pfn).filter(
    (pfn) =>
      folios.folioOf(pfn) === pfn && folios.memcg[pfn] === memcg.index && folios.refcount[pfn]! > 0,
  );
  expect(heads).toHaveLength((PAGES * 4) / kib);
  expect(heads.every((folio) => folios.nrPagesOf(folio) === kib / 4)).toBe(true);
});
