export { checkMappings } from "./check-mappings.ts";
