export { createChainDirectory, isOwnChain } from './create-chain-directory.ts'
