// Whether requests are answered alike with and without the protocol library: 2,000 of one seed, right, wrong and odd, in both eras.
import { bundleFixtures } from './parts/bundle-fixtures.mjs'
import { figure } from './parts/figure.mjs'
import { sized } from './parts/size.mjs'

export async function run(report) {
  const { compareTwoPaths } = await bundleFixtures('packages/tool-server/src/transports/', ['two-paths'])
  const { compared, differing, answeredFast } = await compareTwoPaths(1, sized(2_000, 20))
  for (const { request, fast, library } of differing.slice(0, 5)) report(JSON.stringify({ request, fast, library }))
  const reference = 'the same request through the protocol library, seed 1'
  const row = (name, value, bar = {}) => figure({ name, value, unit: 'requests', reference, exact: true, ...bar })
  return [
    row('requests compared', compared),
    row('of these answered without the protocol library', answeredFast),
    row('answered otherwise than by it', differing.length, { bar: 0 }),
  ]
}
