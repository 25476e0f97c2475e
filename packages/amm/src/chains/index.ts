export { createChainDirectory } from './create-chain-directory.ts'
export { isOwnChain } from './is-own-chain.ts'
