/** A file as text, loaded by Vite. */
declare module "*?raw" {
  const text: string;
  export default text;
}
