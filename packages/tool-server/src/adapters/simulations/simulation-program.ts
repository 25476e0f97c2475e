/**
 * Where the program of a thread lies: beside this file, built. From sources, which Node does not run, it is the built one too. The
 * production file holds it as text, for which scripts/bundle.mjs puts another module in the place of this one.
 */
export function simulationProgram(): URL {
  const isSource = import.meta.url.endsWith('.ts')
  const folder = isSource ? '../../../dist/adapters/simulations/' : './'
  return new URL(`${folder}simulation-worker.js`, import.meta.url)
}
