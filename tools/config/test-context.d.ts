export type { ProvidedContext } from "vitest";

declare module "vitest" {
  /** What every test may ask for with `inject(name)` from vitest. */
  interface ProvidedContext {
    /** True under `npm run soak`: run the long list of seeds, not the short one of CI. */
    readonly soak: boolean;
  }
}
