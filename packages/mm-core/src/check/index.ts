export { checkAllocator } from "./allocator.ts";
export { checkLists } from "./lists.ts";
export { checkLruvecs, type CheckOptions } from "./lruvecs.ts";
export { MonotoneChecker } from "./monotone.ts";
