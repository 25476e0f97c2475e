// What running the server costs beside serving calls: a call on one of four replicas over a lone server's, the start to the first list of a
// legacy session, and waking up.
import { measureReplicas } from './parts/operate-replicas.mjs'
import { measureWakes } from './parts/operate-wakes.mjs'
import { measureLegacyStart } from './start.mjs'

export async function run(report) {
  return [...(await measureReplicas(report)), ...(await measureLegacyStart(report)), ...(await measureWakes(report))]
}
