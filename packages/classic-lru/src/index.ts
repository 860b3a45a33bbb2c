export { folioLruList } from "./classic-lists.ts";
export { ClassicLru } from "./classic-lru.ts";
