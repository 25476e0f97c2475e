// What is done to liquidity: gas against the vendor's own calldata, of several as one, round trips behind latency, and what a hostile
// trading API comes to.
import { startDevnet } from '@svc/devnet'
import { bundleFixtures } from './parts/bundle-fixtures.mjs'
import { measureBatches } from './parts/liquidity-batches.mjs'
import { measureGas } from './parts/liquidity-gas.mjs'
import { measureHostile } from './parts/liquidity-hostile.mjs'
import { measureLatency } from './parts/liquidity-latency.mjs'

export async function run(report) {
  const latency = await measureLatency(report)
  const built = ['@svc/devnet', '@svc/devnet/trading-api', 'vitest']
  const names = ['trading-routes', '../chain-world', '../earning-positions']
  const fixtures = await bundleFixtures('packages/tool-server/src/tools/liquidity', names, built)
  const devnet = await startDevnet({ history: false })
  const trading = await fixtures.openTradingWorld(devnet)
  try {
    const place = { ...fixtures, devnet, trading }
    const gas = [...(await measureGas(place, report)), ...(await measureBatches(place, report))]
    return [...gas, ...latency, ...(await measureHostile(place, report))]
  } finally {
    await trading.stop()
    await devnet.stop()
  }
}
