/** Something that happened to a folio, for those who want to follow one (`why`, the event stream). */
export interface FolioEvent {
  /** What: `add`, `promote`, `move`, `isolate`, … */
  readonly kind: string;
  readonly folio: number;
  /** Rule id that decided it. */
  readonly rule: string;
  /** Sequence number or list it came from and went to, where that applies. */
  readonly from?: number;
  readonly to?: number;
}

/** Receives events; a machine without one announces nothing. */
export interface EventSink {
  emit(event: FolioEvent): void;
}
