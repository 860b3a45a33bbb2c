import { dumpText } from "./dump-text.ts";
import { countersText, numbersObjectText, quote, stringsText } from "./json-text.ts";
import type { OracleResult, OracleStep } from "./oracle-result.ts";

/** Continuation lines of a step start in this column. */
const FIELD = ",\n   ";

function stepText(step: OracleStep): string {
  let text = `  {"cmd":${quote(step.cmd)}`;
  if (step.dump !== undefined) text += `${FIELD}"dump":${dumpText(step.dump)}`;
  if (step.lru_gen !== undefined) text += `${FIELD}"lru_gen":${stringsText(step.lru_gen)}`;
  if (step.lru_gen_full !== undefined) {
    text += `${FIELD}"lru_gen_full":${stringsText(step.lru_gen_full)}`;
  }
  const stat = step["memory.stat"];
  if (stat !== undefined) text += `${FIELD}"memory.stat":${countersText(stat)}`;
  if (step.text !== undefined) text += `${FIELD}"text":${stringsText(step.text)}`;
  if (step.err !== undefined) text += `,"err":${quote(step.err)}`;
  if (step.exit_reason !== undefined) text += `,"exit_reason":${step.exit_reason}`;
  if (step.ret !== undefined) text += `,"ret":${step.ret}`;
  return `${text}}`;
}

/**
 * Prints a result as the fixtures are printed, byte for byte: what `JSON.parse` reads from a
 * fixture comes out as the fixture. Records print in insertion order.
 */
export function stringifyOracle(result: OracleResult): string {
  const { kernel, cpus, layout, steps } = result;
  const head = `{"kernel":${quote(kernel)},\n "cpus":${cpus},"layout":${numbersObjectText(layout)}`;
  const lines = steps.map((step) => `\n${stepText(step)}`).join(",");
  return `${head},\n "steps":[${lines}\n ]}\n`;
}
