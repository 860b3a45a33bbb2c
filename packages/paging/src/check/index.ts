export { checkCharges } from "./check-charges.ts";
export { checkFileFolios } from "./check-file-folios.ts";
export { checkMappings } from "./check-mappings.ts";
