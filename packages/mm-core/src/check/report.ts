/** Takes down one violation: rule id, what it is about, and what was found and expected there. */
export type Report = (rule: string, subject: string, what: string) => void;
