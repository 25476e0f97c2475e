// The product's catalogue, and the context its read tools need to answer without a chain.
import { readConfig } from '@svc/tool-server'
import { createChainDirectory } from '@svc/amm/chains'
import { createTokenDirectory } from '@svc/amm/tokens'

export { catalogue as benchCatalogue } from '@svc/tool-server'

const { chains } = readConfig({})

export const benchContext = {
  chains: createChainDirectory(chains),
  tokens: createTokenDirectory({ chains, rpc: null }),
  now: Date.now,
}
