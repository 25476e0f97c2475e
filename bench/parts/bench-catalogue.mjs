// The product's catalogue, and the context its read tools need to answer without a chain.
import { readConfig } from '@svc/tool-server'
import { createChainDirectory } from '../../packages/tool-server/dist/adapters/chains/create-chain-directory.js'
import { createTokenDirectory } from '../../packages/tool-server/dist/adapters/tokens/create-token-directory.js'

export { catalogue as benchCatalogue } from '@svc/tool-server'

const { chains } = readConfig({})

export const benchContext = {
  chains: createChainDirectory(chains),
  tokens: createTokenDirectory({ chains, rpc: null }),
  now: Date.now,
}
