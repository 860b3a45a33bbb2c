import fc from "fast-check";
import { inject } from "vitest";

/** CI tries the same random cases every time, so that what fails there fails everywhere; a soak tries new ones. */
if (!inject("soak")) fc.configureGlobal({ seed: 20_261_130 });
