// What of the product runs where there is no Node: see ./run.
import { checkLibrary } from './library.mjs'
import { checkServer } from './server.mjs'

let failures = 0
const report = (what, holds, detail = '') => {
  if (!holds) failures += 1
  console.log(`${holds ? 'holds' : 'FAILS'}  ${what}${detail === '' ? '' : `: ${detail}`}`)
}
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)))

await checkLibrary(report)
await checkServer(report, stop.signal)
process.exitCode = failures === 0 ? 0 : 1
