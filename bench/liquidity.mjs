// What is done to liquidity: gas against the vendor's own calldata.
import { startDevnet } from '@svc/devnet'
import { bundleFixtures } from './parts/bundle-fixtures.mjs'
import { measureBatches } from './parts/liquidity-batches.mjs'
import { measureGas } from './parts/liquidity-gas.mjs'

export async function run(report) {
  const built = ['@svc/devnet', '@svc/devnet/trading-api', 'vitest']
  const fixtures = await bundleFixtures('packages/tool-server/src/tools/liquidity', ['trading-routes', '../chain-world', '../earning-positions'], built)
  const devnet = await startDevnet({ history: false })
  const trading = await fixtures.openTradingWorld(devnet)
  try {
    const place = { ...fixtures, devnet, trading }
    return [...(await measureGas(place, report)), ...(await measureBatches(place, report))]
  } finally {
    await trading.stop()
    await devnet.stop()
  }
}
