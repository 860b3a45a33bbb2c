import picocolors from "picocolors";

/** The few looks that a report has. Without colour each gives its text back. */
export interface Paint {
  readonly heading: (text: string) => string;
  readonly label: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

/** @param color whether the output may have ANSI colours; the caller knows about terminals */
export function paint(color: boolean): Paint {
  const colors = picocolors.createColors(color);
  return {
    heading: colors.bold,
    label: colors.bold,
    quiet: colors.dim,
    good: colors.green,
    bad: colors.red,
  };
}
