/** An integer with commas between groups of three digits: `131,072`. */
export function formatCount(value: number): string {
  const [sign, digits] = value < 0 ? ["-", String(-value)] : ["", String(value)];
  return sign + digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A number with a fixed count of digits behind the point: `4.990`. */
export function formatDecimal(value: number, digits: number): string {
  return value.toFixed(digits);
}
