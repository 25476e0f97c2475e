/**
 * Where the program of a thread lies: beside this file, built. From sources, which Node does not run, it is the built one too. In
 * production it is a file beside the server's one, for which scripts/bundle.mjs puts another module in the place of this one.
 */
export function workerProgram(): URL {
  const isSource = import.meta.url.endsWith('.ts')
  const folder = isSource ? '../../dist/workers/' : './'
  return new URL(`${folder}worker.js`, import.meta.url)
}
