// A program in the older module form: both packages are ECMAScript modules, which Node 20.19 and newer can require.
const { ServiceWallet, registerAgent } = require('@svc/wallet')
const { chains } = require('@svc/wallet/core')
const { createWalletProviderServer } = require('@svc/test-utils')

console.log(
  JSON.stringify({
    types: [typeof ServiceWallet, typeof registerAgent, typeof createWalletProviderServer],
    chains: chains.length,
  }),
)
