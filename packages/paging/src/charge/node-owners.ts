// @hot

/** log2 of the children of a node. */
const CHILD_SHIFT = 6;
const CHILDREN = 64;

/**
 * Which nodes of one file's tree exist, and who paid for them: a number by level, 0 for the leaves, and by
 * place in the level; 0 = there is no such node. It grows with the file and is kept when nodes go.
 */
export class NodeOwners {
  /** Nodes there are. */
  count = 0;
  private readonly levels: Uint16Array[] = [];

  get(level: number, place: number): number {
    const owners = this.levels[level];
    return owners === undefined || place >= owners.length ? 0 : (owners[place] as number);
  }

  /** A node is made, or, with owner 0, is gone. */
  set(level: number, place: number, owner: number): void {
    while (this.levels.length <= level) this.levels.push(new Uint16Array(CHILDREN));
    const owners = this.levels[level] as Uint16Array;
    if (place >= owners.length) {
      const grown = new Uint16Array(Math.max(place + 1, owners.length * 2));
      grown.set(owners);
      this.levels[level] = grown;
    }
    this.count += (owner === 0 ? 0 : 1) - (this.get(level, place) === 0 ? 0 : 1);
    (this.levels[level] as Uint16Array)[place] = owner;
  }

  /** Level of the root: the highest whose first node exists; −1 when that of no level does. */
  get top(): number {
    let level = this.levels.length - 1;
    while (level >= 0 && this.get(level, 0) === 0) level -= 1;
    return level;
  }

  /** Whether a node below the first of the level above exists besides the first of this level. */
  hasSiblingOfFirst(level: number): boolean {
    for (let place = 1; place < CHILDREN; place++) if (this.get(level, place) !== 0) return true;
    return false;
  }

  /** All nodes of one owner are another's. */
  replace(from: number, to: number): void {
    for (const owners of this.levels) {
      for (let place = owners.indexOf(from); place >= 0; place = owners.indexOf(from, place + 1)) {
        owners[place] = to;
      }
    }
  }
}

/** Place, in its level, of the node above a page. */
export function placeOf(page: number, level: number): number {
  return Math.floor(page / 2 ** (CHILD_SHIFT * (level + 1)));
}
