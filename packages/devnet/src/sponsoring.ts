export type { BundledChain } from './services/bundling.ts'
export type { StandInFault } from './services/stand-in-server.ts'
export { startFakeBundler, type BundlerFault, type FakeBundler } from './services/start-fake-bundler.ts'
export {
  startPaymaster,
  type Paymaster,
  type PaymasterFault,
  type PaymasterOptions,
} from './services/start-paymaster.ts'
