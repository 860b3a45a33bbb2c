export type { Cpu, Line, StreamKind } from "./cpu.ts";
export { createFunctionalHardware, type FunctionalHardwareOptions } from "./functional.ts";
export type { Hardware, Region, VisitAccess, VisitProfile } from "./hardware.ts";
export { SpinLock } from "./spin-lock.ts";
export {
  CACHE_LINE_BYTES,
  fieldOf,
  lineOf,
  structLayout,
  type FieldLayout,
  type FieldSpec,
  type StructLayout,
} from "./struct-layout.ts";
