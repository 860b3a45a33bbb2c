export { checkMappings } from "./check-mappings.ts";
export { checkPageCache } from "./check-page-cache.ts";
