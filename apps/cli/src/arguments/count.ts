import { InputError } from "../input-error.ts";

/** Reads a whole number from 1 to `max`. */
export function parseCount(option: string, text: string, max: number): number {
  const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= max) return value;
  throw new InputError(
    `${option}: found ${JSON.stringify(text)}, expected a whole number from 1 to ${max}`,
  );
}
