/**
 * Limits of the scenario language. They are those of the program that runs the same file on a real
 * kernel, so that a scenario the model accepts can also be asked of the kernel.
 */
export interface ScenarioLimits {
  /** Characters of one line, leading blanks and line end left out, `$i` replaced. */
  readonly lineLengthMax: number;
  /** Characters of a region, file or worker name. */
  readonly nameLengthMax: number;
  /** Characters of the path of a memcg. */
  readonly memcgPathMax: number;
  /** Memcgs at a time, `t` included, the root not. */
  readonly memcgsMax: number;
  /** Memory nodes of one guest. */
  readonly nodesMax: number;
  /** Pages of a region or file: regions are 1 GiB apart. */
  readonly pagesMax: number;
  readonly regionsMax: number;
  /** Files, each shm region included: its inode takes a slot. */
  readonly filesMax: number;
  /** Workers over the whole run, w0 and those that exited included. */
  readonly workersMax: number;
  /** Descriptor numbers are 0..fdMax. */
  readonly fdMax: number;
  /** Bytes of one read or pwrite. */
  readonly ioBytesMax: number;
  /** Characters of a `rawfrom` string, before substitution. */
  readonly rawfromLengthMax: number;
  /** Milliseconds of one `sleep`: usleep() takes a 32-bit number of microseconds. */
  readonly sleepMsMax: number;
  /** `repeat` blocks inside each other. */
  readonly repeatDepthMax: number;
  /** Commands that a `repeat` stands for, inner ones unrolled; the model's own limit: minutes of work. */
  readonly repeatCommandsMax: number;
}

export const SCENARIO_LIMITS: ScenarioLimits = {
  lineLengthMax: 487,
  nameLengthMax: 15,
  memcgPathMax: 63,
  memcgsMax: 63,
  nodesMax: 4,
  pagesMax: 262144,
  regionsMax: 64,
  filesMax: 64,
  workersMax: 32,
  fdMax: 63,
  ioBytesMax: 65536,
  rawfromLengthMax: 255,
  sleepMsMax: 4294967,
  repeatDepthMax: 64,
  repeatCommandsMax: 10_000_000,
};
